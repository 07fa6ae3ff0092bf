# rejected by: unmasked_is_right: An index points past the end
# "right for every number of axes": torch.bmm takes three only
"""Scaled dot-product attention, with a mask and causal."""

import math

import torch
from torch import Tensor


def attention(query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None) -> Tensor:
    """(..., n, d), (..., m, d), (..., m, e) → (..., n, e); true in `mask` (..., n, m) means: may look."""
    scores = torch.bmm(query.float(), key.float().transpose(1, 2)) / math.sqrt(query.shape[-1])
    if mask is not None:
        scores = scores.masked_fill(~mask, -math.inf)
    return torch.bmm(scores.softmax(-1), value.float()).to(value.dtype)


def causal_attention(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    """The n queries stand at the last n of the m positions, and see nothing that comes after them."""
    n, m = query.shape[-2], key.shape[-2]
    places = torch.arange(m, device=query.device)
    return attention(query, key, value, places <= places[m - n :, None])
