# rejected by: ordinary_rows_are_right: dtype float32
"""A softmax over the unmasked elements that never gives NaN."""

import torch
from torch import Tensor


def masked_softmax(logits: Tensor, mask: Tensor) -> Tensor:
    """Softmax over the last axis where `mask` is true, and 0 elsewhere; `mask` broadcasts against `logits`."""
    wide = logits.to(torch.promote_types(logits.dtype, torch.float32)).masked_fill(~mask, -torch.inf)
    largest = wide.amax(-1, keepdim=True)
    weights = (wide - largest.masked_fill(largest == -torch.inf, 0)).exp()
    total = weights.sum(-1, keepdim=True)
    return weights / total.masked_fill(total == 0, 1)
