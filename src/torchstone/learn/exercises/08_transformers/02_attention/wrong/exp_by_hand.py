# rejected by: unmasked_is_right: softmax over the keys of query · keyᵀ / √d
# "large scores": exp without the maximum overflows
"""Scaled dot-product attention, with a mask and causal."""

import math

import torch
from torch import Tensor


def attention(query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None) -> Tensor:
    """(..., n, d), (..., m, d), (..., m, e) → (..., n, e); true in `mask` (..., n, m) means: may look."""
    weights = (query @ key.mT / math.sqrt(query.shape[-1])).exp()
    if mask is not None:
        weights = weights * mask
    return weights / weights.sum(-1, keepdim=True) @ value


def causal_attention(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    """The n queries stand at the last n of the m positions, and see nothing that comes after them."""
    n, m = query.shape[-2], key.shape[-2]
    places = torch.arange(m, device=query.device)
    return attention(query, key, value, places <= places[m - n :, None])
