# rejected by: hidden_keys_have_no_influence: A hidden key still counts
# softmax over all keys, then the masked weights are set to 0 and the rest divided by its sum; breaks 'A key that
# may not be looked at has no influence': a hidden score of 200 beside 0 gives 0 / 0
"""Scaled dot-product attention, with a mask and causal."""

import torch
from torch import Tensor


def attention(query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None) -> Tensor:
    """(..., n, d), (..., m, d), (..., m, e) → (..., n, e); true in `mask` (..., n, m) means: may look."""
    wide = torch.promote_types(query.dtype, torch.float32)
    scores = torch.einsum("...nd,...md->...nm", query.to(wide), key.to(wide)) / query.shape[-1] ** 0.5
    weights = scores.softmax(-1)
    if mask is not None:
        weights = weights * mask
        weights = weights / weights.sum(-1, keepdim=True)
    return torch.einsum("...nm,...me->...ne", weights, value.to(wide)).to(query.dtype)


def causal_attention(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    """The n queries stand at the last n of the m positions, and see nothing that comes after them."""
    n, m = query.shape[-2], key.shape[-2]
    places = torch.arange(m, device=query.device)
    return attention(query, key, value, places <= places[m - n :, None])
