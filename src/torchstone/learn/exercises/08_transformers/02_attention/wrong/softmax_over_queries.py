# rejected by: unmasked_is_right: The softmax goes over the queries
# "with the softmax over the keys": over the queries
"""Scaled dot-product attention, with a mask and causal."""

import math

import torch
from torch import Tensor


def attention(query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None) -> Tensor:
    """(..., n, d), (..., m, d), (..., m, e) → (..., n, e); true in `mask` (..., n, m) means: may look."""
    wide = torch.promote_types(query.dtype, torch.float32)
    q = query.to(wide).unsqueeze(-2) / math.sqrt(query.shape[-1])
    k = key.to(wide).unsqueeze(-3)
    v = value.to(wide).unsqueeze(-3)
    if mask is None:
        scores = (q * k).sum(-1)
    else:
        k = torch.where(mask.unsqueeze(-1), k, 0.0)
        v = torch.where(mask.unsqueeze(-1), v, 0.0)
        scores = torch.where(mask, (q * k).sum(-1), -math.inf)
    return (scores.softmax(-2).nan_to_num(0.0).unsqueeze(-1) * v).sum(-2).to(value.dtype)


def causal_attention(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    """The n queries stand at the last n of the m positions, and see nothing that comes after them."""
    n, m = query.shape[-2], key.shape[-2]
    places = torch.arange(m, device=query.device)
    return attention(query, key, value, places <= places[m - n :, None])
