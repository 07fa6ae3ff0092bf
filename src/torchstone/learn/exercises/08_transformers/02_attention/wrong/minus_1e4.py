# rejected by: hidden_keys_have_no_influence: A hidden key still counts
# 'A key that may not be looked at has no influence at all': hidden scores become −10,000, which real scores of that
# size reach
"""Scaled dot-product attention, with a mask and causal."""

import math

import torch
from torch import Tensor


def attention(query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None) -> Tensor:
    inner = torch.promote_types(query.dtype, torch.float32)
    scores = (query.to(inner) / math.sqrt(query.shape[-1])) @ key.to(inner).mT
    if mask is not None:
        scores = scores.masked_fill(~mask, -1e4)
    return (scores.softmax(-1) @ value.to(inner)).to(value.dtype)


def causal_attention(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    n, m = query.shape[-2], key.shape[-2]
    mask = torch.ones(n, m, dtype=torch.bool, device=query.device).tril(m - n)
    return attention(query, key, value, mask)
