# earns: solved
# einsum and exp(scores − logsumexp) in float32 at least; the causal mask from positions
"""Scaled dot-product attention, with a mask and causal."""

import math

import torch
from torch import Tensor


def attention(query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None) -> Tensor:
    """(..., n, d), (..., m, d), (..., m, e) → (..., n, e); true in `mask` (..., n, m) means: may look."""
    wide = torch.promote_types(query.dtype, torch.float32)
    scores = torch.einsum("...nd,...md->...nm", query.to(wide) / math.sqrt(query.shape[-1]), key.to(wide))
    if mask is not None:
        scores = torch.where(mask, scores, scores.new_full((), -math.inf))
    weights = torch.exp(scores - torch.logsumexp(scores, dim=-1, keepdim=True))
    return torch.einsum("...nm,...me->...ne", weights, value.to(wide)).to(value.dtype)


def causal_attention(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    """The n queries stand at the last n of the m positions, and see nothing that comes after them."""
    positions = torch.arange(key.shape[-2], device=key.device)
    mine = positions[key.shape[-2] - query.shape[-2] :]
    return attention(query, key, value, positions <= mine[:, None])
