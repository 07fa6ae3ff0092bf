# rejected by: huge_logits_are_right: exp overflows above 88
# "logits at true places are finite": masked places get -10,000, which may be the largest , not above -10,000
"""A softmax over the unmasked elements that never gives NaN."""

import torch
from torch import Tensor


def masked_softmax(logits: Tensor, mask: Tensor) -> Tensor:
    """Softmax over the last axis where `mask` is true, and 0 elsewhere; `mask` broadcasts against `logits`."""
    work = logits if logits.dtype == torch.float64 else logits.float()
    work = torch.where(mask, work, -1e4)
    peak = work.amax(-1, keepdim=True)
    peak = peak.clamp(min=-1e4)
    weights = torch.exp(work - peak).where(mask, 0)
    total = weights.sum(-1, keepdim=True)
    return (weights / torch.where(total == 0, 1, total)).to(logits.dtype)
