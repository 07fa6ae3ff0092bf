# rejected by: unmasked_is_right: softmax over the keys of query · keyᵀ / √d
# 'right for every number of axes': written for (batch, heads, n, d) only
"""Scaled dot-product attention, with a mask and causal."""

import math

import torch
from torch import Tensor


def attention(query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None) -> Tensor:
    inner = torch.promote_types(query.dtype, torch.float32)
    scores = torch.einsum("bhnd,bhmd->bhnm", query.to(inner), key.to(inner)) / math.sqrt(query.shape[3])
    if mask is not None:
        scores = scores.masked_fill(~mask, float("-inf"))
    return torch.einsum("bhnm,bhme->bhne", scores.softmax(3), value.to(inner)).to(value.dtype)


def causal_attention(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    n, m = query.shape[-2], key.shape[-2]
    mask = torch.ones(n, m, dtype=torch.bool, device=query.device).tril(m - n)
    return attention(query, key, value, mask)
