# rejected by: unmasked_is_right: softmax over the keys of query · keyᵀ / √d
# half precision comes back as float32; breaks 'The result has the dtype of the three'
"""Scaled dot-product attention, with a mask and causal."""

import math

import torch
from torch import Tensor


def attention(query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None) -> Tensor:
    """(..., n, d), (..., m, d), (..., m, e) → (..., n, e); true in `mask` (..., n, m) means: may look."""
    dtype = query.dtype
    if dtype in (torch.float16, torch.bfloat16):
        query, key, value = query.float(), key.float(), value.float()
    scores = torch.matmul(query / math.sqrt(query.size(-1)), key.transpose(-2, -1))
    if mask is not None:
        bias = torch.zeros(mask.shape, dtype=scores.dtype, device=scores.device)
        scores = scores + bias.masked_fill_(mask.logical_not(), -math.inf)
    return torch.matmul(torch.softmax(scores, dim=-1), value)


def causal_attention(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    """The n queries stand at the last n of the m positions, and see nothing that comes after them."""
    n, m = query.size(-2), key.size(-2)
    hidden = torch.ones(n, m, dtype=torch.bool, device=query.device).triu(m - n + 1)
    return attention(query, key, value, ~hidden)
