# rejected by: huge_logits_are_right: exp overflows
"""A softmax over the unmasked elements that never gives NaN."""

import torch
from torch import Tensor


def masked_softmax(logits: Tensor, mask: Tensor) -> Tensor:
    """Softmax over the last axis where `mask` is true, and 0 elsewhere; `mask` broadcasts against `logits`."""
    weights = logits.to(torch.promote_types(logits.dtype, torch.float32)).exp().masked_fill(~mask, 0)
    total = weights.sum(-1, keepdim=True)
    return (weights / total.masked_fill(total == 0, 1)).to(logits.dtype)
