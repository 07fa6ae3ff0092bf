# rejected by: long_rows_in_half_precision: The sum of a long row passes
# the logarithm of the sum is subtracted in half precision, which is some percent off in long rows; promised: "half
# precision in rows of many thousand elements"
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
    weights = (inside - top).exp().masked_fill(~mask, 0.0)
    total = weights.sum(-1, keepdim=True)
    log_total = total.masked_fill(total == 0, 1.0).log().to(logits.dtype)
    shifted = (inside - top).to(logits.dtype) - log_total
    return shifted.exp().masked_fill(~mask, 0.0)
