# rejected by: long_texts_in_half_precision: Positions are whole numbers: made in the dtype of the query, some of them are
# positions are made in the dtype of the query, and in bfloat16 301 is 300; 'no query sees the future'
"""Scaled dot-product attention, with a mask and causal."""

import torch
from torch import Tensor


def attention(query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None) -> Tensor:
    """(..., n, d), (..., m, d), (..., m, e) → (..., n, e); true in `mask` (..., n, m) means: may look."""
    # The dot product of d random numbers has the standard deviation √d: without the scale softmax would saturate.
    # On the query, before the product, where half precision could still overflow.
    scores = (query / query.shape[-1] ** 0.5) @ key.mT
    if mask is not None:
        # Before the softmax: exp(−inf) is 0, and the rest still adds up to 1.
        scores = scores.masked_fill(~mask, -torch.inf)
    return scores.softmax(-1) @ value


def causal_attention(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    """The n queries stand at the last n of the m positions, and see nothing that comes after them."""
    n, m = query.shape[-2], key.shape[-2]
    earlier = m - n
    places = torch.arange(m, device=query.device, dtype=query.dtype)
    mask = places <= places[earlier:, None]
    return attention(query, key, value, mask)
