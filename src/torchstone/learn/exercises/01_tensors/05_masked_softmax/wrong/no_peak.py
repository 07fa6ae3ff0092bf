# rejected by: huge_logits_are_right: exp overflows above 88
# "logits of 10,000 (or 60,000 in half precision), where exp overflows": the largest logit is not taken away
"""A softmax over the unmasked elements that never gives NaN."""

import torch
from torch import Tensor


def masked_softmax(logits: Tensor, mask: Tensor) -> Tensor:
    """Softmax over the last axis where `mask` is true, and 0 elsewhere; `mask` broadcasts against `logits`."""
    work = logits if logits.dtype == torch.float64 else logits.float()
    work = torch.where(mask, work, -torch.inf)
    peak = work.amax(-1, keepdim=True)
    peak = torch.where(peak == -torch.inf, 0, peak)
    weights = torch.exp(work)
    total = weights.sum(-1, keepdim=True)
    return (weights / torch.where(total == 0, 1, total)).to(logits.dtype)
