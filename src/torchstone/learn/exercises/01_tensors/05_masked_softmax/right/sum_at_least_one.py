# earns: solved
# masked_fill, and a sum that is at least 1 because the largest term is exp(0)
"""A softmax over the unmasked elements that never gives NaN."""

import torch
from torch import Tensor


def masked_softmax(logits: Tensor, mask: Tensor) -> Tensor:
    """Softmax over the last axis where `mask` is true, and 0 elsewhere; `mask` broadcasts against `logits`."""
    logits, mask = torch.broadcast_tensors(logits, mask)
    if logits.numel() == 0:
        return torch.zeros_like(logits)
    wide = torch.promote_types(logits.dtype, torch.float32)
    scores = logits.to(wide).masked_fill(~mask, -torch.inf)
    top = scores.amax(-1, keepdim=True)
    top = top.masked_fill(top == -torch.inf, 0)
    weights = scores.sub(top).exp()
    total = weights.sum(-1, keepdim=True).clamp(min=1)
    return weights.div(total).to(logits.dtype)
