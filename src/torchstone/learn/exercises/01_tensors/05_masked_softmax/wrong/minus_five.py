# rejected by: ordinary_rows_are_right: is not exactly 0
"""A softmax over the unmasked elements that never gives NaN."""

import torch
from torch import Tensor


def masked_softmax(logits: Tensor, mask: Tensor) -> Tensor:
    """Softmax over the last axis where `mask` is true, and 0 elsewhere; `mask` broadcasts against `logits`."""
    wide = torch.where(mask, logits, logits - 5).to(torch.promote_types(logits.dtype, torch.float32))
    weights = (wide - wide.amax(-1, keepdim=True)).exp()
    return (weights / weights.sum(-1, keepdim=True)).to(logits.dtype)
