# rejected by: mask_broadcasts: A mask of (columns,) or (rows
# a mask that has to be broadcast, (n,) for (rows, n) or (rows, 1), does not index the logits; 'mask ... broadcasts
# against logits'
"""A softmax over the unmasked elements that never gives NaN."""

import torch
from torch import Tensor


def masked_softmax(logits: Tensor, mask: Tensor) -> Tensor:
    """Softmax over the last axis where `mask` is true, and 0 elsewhere; `mask` broadcasts against `logits`."""
    wide = torch.promote_types(logits.dtype, torch.float32)
    filled = logits.to(wide, copy=True)
    filled[~mask] = float("-inf")
    top = filled.amax(-1, keepdim=True)
    top = torch.where(top == float("-inf"), 0, top)
    weights = (filled - top).exp()
    total = weights.sum(-1, keepdim=True)
    return (weights / torch.where(total == 0, 1, total)).to(logits.dtype)
