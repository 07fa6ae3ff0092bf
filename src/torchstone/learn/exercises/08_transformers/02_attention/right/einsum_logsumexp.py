# earns: solved
# einsum, an additive mask and logsumexp, in float32 for half precision
"""Scaled dot-product attention, with a mask and causal."""

import torch
from torch import Tensor


def attention(query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None) -> Tensor:
    """(..., n, d), (..., m, d), (..., m, e) → (..., n, e); true in `mask` (..., n, m) means: may look."""
    wide = torch.promote_types(query.dtype, torch.float32)
    scores = torch.einsum("...nd,...md->...nm", query.to(wide) / query.shape[-1] ** 0.5, key.to(wide))
    values = value.to(wide)
    if mask is not None:
        allowed = mask.expand(scores.shape)
        scores = torch.where(allowed, scores, torch.full_like(scores, -torch.inf))
        values = torch.where(allowed.any(-2).unsqueeze(-1), values, torch.zeros_like(values))
    weights = (scores - scores.logsumexp(-1, keepdim=True)).exp()
    return torch.einsum("...nm,...me->...ne", weights, values).to(value.dtype)


def causal_attention(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    """The n queries stand at the last n of the m positions, and see nothing that comes after them."""
    places = torch.arange(key.shape[-2], device=key.device)
    own = places[key.shape[-2] - query.shape[-2] :]
    return attention(query, key, value, own[:, None] >= places)
