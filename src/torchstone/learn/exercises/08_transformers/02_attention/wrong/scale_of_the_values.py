# rejected by: unmasked_is_right: softmax over the keys of query · keyᵀ / √d
# divides by the root of the values' width; breaks '/ √d' for d ≠ e
"""Scaled dot-product attention, with a mask and causal."""

import torch
from torch import Tensor


def attention(query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None) -> Tensor:
    """(..., n, d), (..., m, d), (..., m, e) → (..., n, e); true in `mask` (..., n, m) means: may look."""
    wide = torch.promote_types(query.dtype, torch.float32)
    scores = torch.einsum("...nd,...md->...nm", query.to(wide), key.to(wide)) / value.shape[-1] ** 0.5
    if mask is not None:
        scores = torch.where(mask, scores, float("-inf"))
    weights = (scores - scores.logsumexp(-1, keepdim=True)).exp()
    return torch.einsum("...nm,...me->...ne", weights, value.to(wide)).to(query.dtype)


def causal_attention(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    """The n queries stand at the last n of the m positions, and see nothing that comes after them."""
    n, m = query.shape[-2], key.shape[-2]
    places = torch.arange(m, device=query.device)
    return attention(query, key, value, places <= places[m - n :, None])
