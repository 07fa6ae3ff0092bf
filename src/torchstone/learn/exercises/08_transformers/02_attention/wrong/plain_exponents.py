# rejected by: hidden_keys_have_no_influence: A hidden key still counts: −
# exponents of the bare scores overflow; 'right for … large scores'
"""Scaled dot-product attention, with a mask and causal."""

import torch
from torch import Tensor


def attention(query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None) -> Tensor:
    """(..., n, d), (..., m, d), (..., m, e) → (..., n, e); true in `mask` (..., n, m) means: may look."""
    dtype = value.dtype
    wide = torch.promote_types(dtype, torch.float32)
    query, key, value = query.to(wide), key.to(wide), value.to(wide)
    scores = torch.einsum("...nd,...md->...nm", query * query.shape[-1] ** -0.5, key)
    if mask is not None:
        scores = scores.masked_fill(~mask, float("-inf"))
    weights = scores.exp()
    weights = weights / weights.sum(-1, keepdim=True)
    return torch.einsum("...nm,...me->...ne", weights, value).to(dtype)


def causal_attention(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    """The n queries stand at the last n of the m positions, and see nothing that comes after them."""
    n, m = query.shape[-2], key.shape[-2]
    place = torch.arange(m - n, m, device=query.device)
    return attention(query, key, value, torch.arange(m, device=query.device) <= place[:, None])
