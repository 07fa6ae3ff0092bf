# earns: solved
# einsum, the softmax by hand, the mask from positions
"""Scaled dot-product attention, with a mask and causal."""

import math

import torch
from torch import Tensor


def attention(query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None) -> Tensor:
    """(..., n, d), (..., m, d), (..., m, e) → (..., n, e); true in `mask` (..., n, m) means: may look."""
    dtype = value.dtype
    if dtype in (torch.float16, torch.bfloat16):
        query, key, value = query.float(), key.float(), value.float()
    root = math.sqrt(math.sqrt(query.shape[-1]))
    scores = torch.einsum("...nd,...md->...nm", query / root, key / root)
    allowed = torch.ones_like(scores, dtype=torch.bool) if mask is None else mask.expand_as(scores)
    scores = torch.where(allowed, scores, -torch.inf)
    weights = torch.exp(scores - scores.detach().amax(-1, keepdim=True))
    summed = torch.einsum("...nm,...me->...ne", weights, value)
    return (summed / weights.sum(-1, keepdim=True)).to(dtype)


def causal_attention(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    """The n queries stand at the last n of the m positions, and see nothing that comes after them."""
    positions = torch.arange(key.shape[-2], device=key.device)
    mine = positions[key.shape[-2] - query.shape[-2] :]
    return attention(query, key, value, mine.unsqueeze(1) >= positions)
