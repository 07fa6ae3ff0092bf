# rejected by: unmasked_is_right: softmax over the keys of query · keyᵀ / √d
# 'softmax(query · keyᵀ / √d)' and 'd ≠ e': it is scaled by the width of the values
"""Scaled dot-product attention, with a mask and causal."""

import math

import torch
from torch import Tensor


def attention(query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None) -> Tensor:
    inner = torch.promote_types(query.dtype, torch.float32)
    scores = (query.to(inner) / math.sqrt(value.shape[-1])) @ key.to(inner).mT
    if mask is not None:
        scores = scores.masked_fill(~mask, float("-inf"))
    return (scores.softmax(-1) @ value.to(inner)).to(value.dtype)


def causal_attention(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    n, m = query.shape[-2], key.shape[-2]
    mask = torch.ones(n, m, dtype=torch.bool, device=query.device).tril(m - n)
    return attention(query, key, value, mask)
