# rejected by: hidden_keys_have_no_influence: Scores may be lower than any number
# 'no query sees the future': causal_attention has a softmax of its own, with −10,000 for what is hidden
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
    mask = torch.ones(n, m, dtype=torch.bool, device=query.device).tril(earlier)
    scores = (query / query.shape[-1] ** 0.5) @ key.mT
    return scores.masked_fill(~mask, -1e4).softmax(-1) @ value
