# earns: solved
# einsum, and a mask that is added as 0 or minus infinity
"""Scaled dot-product attention, with a mask and causal."""

import torch
from torch import Tensor


def attention(query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None) -> Tensor:
    """(..., n, d), (..., m, d), (..., m, e) → (..., n, e); true in `mask` (..., n, m) means: may look."""
    width = query.size(-1)
    scores = torch.einsum("...nd,...md->...nm", query.mul(width**-0.5), key)
    if mask is not None:
        bias = torch.zeros(mask.shape, dtype=scores.dtype, device=scores.device)
        scores = scores + bias.masked_fill(mask.logical_not(), -torch.inf)
    return torch.einsum("...nm,...me->...ne", torch.softmax(scores, dim=-1), value)


def causal_attention(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    """The n queries stand at the last n of the m positions, and see nothing that comes after them."""
    n, m = query.shape[-2], key.shape[-2]
    future = torch.ones((n, m), device=query.device).triu(diagonal=m - n + 1)
    return attention(query, key, value, mask=future == 0)
