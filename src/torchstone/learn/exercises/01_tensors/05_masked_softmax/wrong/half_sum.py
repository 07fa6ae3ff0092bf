# rejected by: long_rows_in_half_precision: where float16 ends
"""A softmax over the unmasked elements that never gives NaN."""

import torch
from torch import Tensor


def masked_softmax(logits: Tensor, mask: Tensor) -> Tensor:
    """Softmax over the last axis where `mask` is true, and 0 elsewhere; `mask` broadcasts against `logits`."""
    filled = logits.masked_fill(~mask, -torch.inf)
    largest = filled.amax(-1, keepdim=True)
    weights = (filled - largest.masked_fill(largest == -torch.inf, 0)).exp()
    total = weights.sum(-1, keepdim=True)
    return weights / total.masked_fill(total == 0, 1)
