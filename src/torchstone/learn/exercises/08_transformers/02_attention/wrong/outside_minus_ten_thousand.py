# rejected by: hidden_keys_have_no_influence: A hidden key still counts
# "A key that may not be looked at has no influence at all": −10,000 is not enough for large scores
"""Scaled dot-product attention, with a mask and causal."""

import math

import torch
from torch import Tensor


def attention(query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None) -> Tensor:
    """(..., n, d), (..., m, d), (..., m, e) → (..., n, e); true in `mask` (..., n, m) means: may look."""
    wide = torch.promote_types(query.dtype, torch.float32)
    scores = query.to(wide) @ key.to(wide).mT / math.sqrt(query.shape[-1])
    if mask is not None:
        scores = scores - 1e4 * (~mask).to(wide)
    return (scores.softmax(-1) @ value.to(wide)).to(value.dtype)


def causal_attention(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    """The n queries stand at the last n of the m positions, and see nothing that comes after them."""
    n, m = query.shape[-2], key.shape[-2]
    places = torch.arange(m, device=query.device)
    return attention(query, key, value, places <= places[m - n :, None])
