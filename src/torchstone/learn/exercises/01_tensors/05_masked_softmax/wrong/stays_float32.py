# rejected by: ordinary_rows_are_right: The result should follow the dtype of its inputs
# "The result has the dtype of the logits": half precision comes back as float32
"""A softmax over the unmasked elements that never gives NaN."""

import torch
from torch import Tensor


def masked_softmax(logits: Tensor, mask: Tensor) -> Tensor:
    """Softmax over the last axis where `mask` is true, and 0 elsewhere; `mask` broadcasts against `logits`."""
    work = logits if logits.dtype == torch.float64 else logits.float()
    work = torch.where(mask, work, -torch.inf)
    peak = work.amax(-1, keepdim=True)
    peak = torch.where(peak == -torch.inf, 0, peak)
    weights = torch.exp(work - peak)
    total = weights.sum(-1, keepdim=True)
    return weights / torch.where(total == 0, 1, total)
