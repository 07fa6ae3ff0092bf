# rejected by: ordinary_rows_are_right: the result of masked_softmax is
# float64 is computed in float32; 'right in float32, float64, float16 and bfloat16'
"""A softmax over the unmasked elements that never gives NaN."""

import torch
from torch import Tensor


def masked_softmax(logits: Tensor, mask: Tensor) -> Tensor:
    """Softmax over the last axis where `mask` is true, and 0 elsewhere; `mask` broadcasts against `logits`."""
    wide = logits.float()
    wide = torch.where(mask, wide, -torch.inf)
    peak = wide.amax(-1, keepdim=True)
    peak = torch.where(torch.isfinite(peak), peak, 0.0)
    weights = (wide - peak).exp()
    total = weights.sum(-1, keepdim=True)
    return (weights / torch.where(total > 0, total, 1.0)).to(logits.dtype)
