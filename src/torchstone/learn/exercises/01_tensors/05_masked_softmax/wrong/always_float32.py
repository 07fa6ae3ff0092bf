# rejected by: ordinary_rows_are_right: the result of masked_softmax is
# float64 is computed in float32 and only looks like float64; 'right in float32, float64, float16 and bfloat16'
"""A softmax over the unmasked elements that never gives NaN."""

import torch
from torch import Tensor


def masked_softmax(logits: Tensor, mask: Tensor) -> Tensor:
    """Softmax over the last axis where `mask` is true, and 0 elsewhere; `mask` broadcasts against `logits`."""
    logits, mask = torch.broadcast_tensors(logits, mask)
    if logits.numel() == 0:
        return torch.zeros_like(logits)
    wide = torch.float32
    scores = logits.to(wide).masked_fill(~mask, -torch.inf)
    top = scores.amax(-1, keepdim=True)
    top = top.masked_fill(top == -torch.inf, 0)
    weights = scores.sub(top).exp()
    total = weights.sum(-1, keepdim=True).clamp(min=1)
    return weights.div(total).to(logits.dtype)
