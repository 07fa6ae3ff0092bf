# rejected by: ordinary_rows_are_right: It is the transpose of what it should be
# 1e-6 in the denominator makes each float64 result wrong by up to 1e-6; 'right in float32, float64' (a single true
# element gives 0.999999)
"""A softmax over the unmasked elements that never gives NaN."""

import torch
from torch import Tensor


def masked_softmax(logits: Tensor, mask: Tensor) -> Tensor:
    """Softmax over the last axis where `mask` is true, and 0 elsewhere; `mask` broadcasts against `logits`."""
    wide = torch.promote_types(logits.dtype, torch.float32)
    filled = torch.where(mask, logits.to(wide), float("-inf"))
    top = filled.amax(-1, keepdim=True)
    top = torch.where(top == float("-inf"), 0, top)
    weights = (filled - top).exp()
    total = weights.sum(-1, keepdim=True)
    return (weights / (total + 1e-6)).to(logits.dtype)
