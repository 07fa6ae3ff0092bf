# rejected by: unmasked_is_right: softmax over the keys of query · keyᵀ / √d
# 'right for ... large scores': exp without taking the largest away overflows
"""Scaled dot-product attention, with a mask and causal."""

import math

import torch
from torch import Tensor


def attention(query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None) -> Tensor:
    scores = query.float() @ key.float().mT / math.sqrt(query.shape[-1])
    weights = scores.exp()
    if mask is not None:
        weights = weights * mask
    weights = weights / weights.sum(-1, keepdim=True)
    return (weights @ value.float()).to(value.dtype)


def causal_attention(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    n, m = query.shape[-2], key.shape[-2]
    mask = torch.ones(n, m, dtype=torch.bool, device=query.device).tril(m - n)
    return attention(query, key, value, mask)
