# rejected by: hidden_keys_have_no_influence: is not far enough away when its score
# hidden keys get the score −10,000, which is the largest where all others are lower still
"""Scaled dot-product attention, with a mask and causal."""

import torch
from torch import Tensor


def attention(query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None) -> Tensor:
    """(..., n, d), (..., m, d), (..., m, e) → (..., n, e); true in `mask` (..., n, m) means: may look."""
    wide = torch.promote_types(query.dtype, torch.float32)
    scores = (query.to(wide) / query.shape[-1] ** 0.5) @ key.to(wide).mT
    if mask is not None:
        scores = scores.masked_fill(~mask, -1e4)
    return (scores.softmax(-1) @ value.to(wide)).to(query.dtype)


def causal_attention(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    """The n queries stand at the last n of the m positions, and see nothing that comes after them."""
    n, m = query.shape[-2], key.shape[-2]
    mask = torch.ones(n, m, dtype=torch.bool, device=query.device).tril(m - n)
    return attention(query, key, value, mask)
