# rejected by: hidden_keys_have_no_influence: A hidden key still counts: −
# a forbidden key's score is only lowered by 100, so large scores come through; 'A key that may not be looked at has
# no influence at all'
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
        scores = scores - 100.0 * (~mask).to(scores.dtype)
    weights = (scores - scores.logsumexp(-1, keepdim=True)).exp()
    return torch.einsum("...nm,...me->...ne", weights, value).to(dtype)


def causal_attention(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    """The n queries stand at the last n of the m positions, and see nothing that comes after them."""
    n, m = query.shape[-2], key.shape[-2]
    place = torch.arange(m - n, m, device=query.device)
    return attention(query, key, value, torch.arange(m, device=query.device) <= place[:, None])
