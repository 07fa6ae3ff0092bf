# rejected by: empty_rows_are_zero: In a row without a true element the sum is
# masked places are removed by multiplying, so infinity and NaN there survive; promised: "anything at a masked place:
# huge values, infinity, NaN"
"""A softmax over the unmasked elements that never gives NaN."""

import torch
from torch import Tensor


def masked_softmax(logits: Tensor, mask: Tensor) -> Tensor:
    """Softmax over the last axis where `mask` is true, and 0 elsewhere; `mask` broadcasts against `logits`."""
    logits, mask = torch.broadcast_tensors(logits, mask)
    if logits.shape[-1] == 0:
        return logits.clone()
    wide = logits.to(torch.promote_types(logits.dtype, torch.float32))
    lowest = torch.finfo(wide.dtype).min
    inside = wide.masked_fill(~mask, lowest)
    top = inside.max(-1, keepdim=True).values
    weights = (wide - top).exp() * mask
    total = weights.sum(-1, keepdim=True)
    return weights.div(total.masked_fill(total == 0, 1.0)).to(logits.dtype)
