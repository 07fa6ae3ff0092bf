# rejected by: far_logits_are_right: Every finite logit is a logit: only a row without a true
# a row whose true logits all lie far below −1e9 gives zeros; 'logits at true places are finite', so they count
# however low they are
"""A softmax over the unmasked elements that never gives NaN."""

import torch
from torch import Tensor


def masked_softmax(logits: Tensor, mask: Tensor) -> Tensor:
    """Softmax over the last axis where `mask` is true, and 0 elsewhere; `mask` broadcasts against `logits`."""
    wide = logits.to(torch.promote_types(logits.dtype, torch.float32))
    wide = torch.where(mask, wide, -1e9)
    peak = wide.amax(-1, keepdim=True)
    weights = (wide - peak).exp() * mask
    total = weights.sum(-1, keepdim=True)
    return (weights / torch.where(total > 0, total, 1.0)).to(logits.dtype)
