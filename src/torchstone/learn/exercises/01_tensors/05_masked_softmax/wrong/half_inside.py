# rejected by: long_rows_in_half_precision: The sum of a long row passes
# all in the dtype of the logits: the sum of 70,000 equal float16 elements is inf and the row 0; 'half precision in
# rows of many thousand elements'
"""A softmax over the unmasked elements that never gives NaN."""

import torch
from torch import Tensor


def masked_softmax(logits: Tensor, mask: Tensor) -> Tensor:
    """Softmax over the last axis where `mask` is true, and 0 elsewhere; `mask` broadcasts against `logits`."""
    filled = torch.where(mask, logits, float("-inf"))
    top = filled.amax(-1, keepdim=True)
    top = torch.where(top == float("-inf"), 0, top)
    weights = (filled - top).exp()
    total = weights.sum(-1, keepdim=True)
    return (weights / torch.where(total == 0, 1, total)).to(logits.dtype)
