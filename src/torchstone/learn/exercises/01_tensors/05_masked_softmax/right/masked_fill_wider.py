# earns: solved
# masked_fill in a wider dtype, a division that can't be by zero
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
    return weights.div(total.masked_fill(total == 0, 1.0)).to(logits.dtype)
