# rejected by: half_precision_does_not_overflow: float16 ends at 65,504: divide the query
# query · keyᵀ is computed in half precision and divided afterwards; breaks 'that must not overflow on the way': d =
# 64, entries of 40 give 102,400 → inf
"""Scaled dot-product attention, with a mask and causal."""

import math

import torch
from torch import Tensor


def attention(query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None) -> Tensor:
    """(..., n, d), (..., m, d), (..., m, e) → (..., n, e); true in `mask` (..., n, m) means: may look."""
    dtype = query.dtype
    if dtype in (torch.float16, torch.bfloat16):
        query, key, value = query.float(), key.float(), value.float()
    scores = torch.matmul(query.to(dtype), key.to(dtype).transpose(-2, -1)).to(query.dtype) / math.sqrt(query.size(-1))
    if mask is not None:
        bias = torch.zeros(mask.shape, dtype=scores.dtype, device=scores.device)
        scores = scores + bias.masked_fill_(mask.logical_not(), -math.inf)
    return torch.matmul(torch.softmax(scores, dim=-1), value).to(dtype)


def causal_attention(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    """The n queries stand at the last n of the m positions, and see nothing that comes after them."""
    n, m = query.size(-2), key.size(-2)
    hidden = torch.ones(n, m, dtype=torch.bool, device=query.device).triu(m - n + 1)
    return attention(query, key, value, ~hidden)
