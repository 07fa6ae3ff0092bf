# rejected by: causal_is_right: Aligned at the first positions
# 'The n queries belong to the last n of the m positions': tril() without an offset puts them at the first n
"""Scaled dot-product attention, with a mask and causal."""

import math

import torch
from torch import Tensor


def attention(query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None) -> Tensor:
    inner = torch.promote_types(query.dtype, torch.float32)
    scores = (query.to(inner) / math.sqrt(query.shape[-1])) @ key.to(inner).mT
    if mask is not None:
        scores = scores.masked_fill(~mask, float("-inf"))
    return (scores.softmax(-1) @ value.to(inner)).to(value.dtype)


def causal_attention(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    n, m = query.shape[-2], key.shape[-2]
    mask = torch.ones(n, m, dtype=torch.bool, device=query.device).tril()
    return attention(query, key, value, mask)
