# rejected by: causal_is_right: Query i stands at position m − n + i and sees the keys up to that position.
# a mask with one axis less is given a new axis 1, as if there were heads; '`mask` is boolean and broadcasts to `(...,
# n, m)`'
"""Scaled dot-product attention, with a mask and causal."""

import torch
from torch import Tensor


def attention(query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None) -> Tensor:
    """(..., n, d), (..., m, d), (..., m, e) → (..., n, e); true in `mask` (..., n, m) means: may look."""
    scores = (query * query.shape[-1] ** -0.5) @ key.mT
    if mask is not None:
        if mask.dim() == scores.dim() - 1 and mask.dim() > 1 and mask.shape[0] == scores.shape[0]:
            mask = mask.unsqueeze(1)
        scores = scores.masked_fill(~mask, float("-inf"))
    return scores.softmax(-1) @ value


def causal_attention(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    """The n queries stand at the last n of the m positions, and see nothing that comes after them."""
    n, m = query.shape[-2], key.shape[-2]
    mask = torch.ones(n, m, dtype=torch.bool, device=query.device).tril(m - n)
    return attention(query, key, value, mask)
