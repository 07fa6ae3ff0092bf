# rejected by: hidden_keys_have_no_influence: A hidden key still counts
# 'large scores' and 'a hidden key has no influence at all': weights are masked after the softmax and renormalised; a
# huge hidden score leaves 0 / 0
"""Scaled dot-product attention, with a mask and causal."""

import math

import torch
from torch import Tensor


def attention(query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None) -> Tensor:
    inner = torch.promote_types(query.dtype, torch.float32)
    weights = (query.to(inner) @ key.to(inner).mT / math.sqrt(query.shape[-1])).softmax(-1)
    if mask is not None:
        weights = weights * mask
        weights = weights / weights.sum(-1, keepdim=True).clamp(min=1e-12)
    return (weights @ value.to(inner)).to(value.dtype)


def causal_attention(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    n, m = query.shape[-2], key.shape[-2]
    mask = torch.ones(n, m, dtype=torch.bool, device=query.device).tril(m - n)
    return attention(query, key, value, mask)
