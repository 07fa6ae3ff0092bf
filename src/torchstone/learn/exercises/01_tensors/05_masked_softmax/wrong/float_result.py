# rejected by: ordinary_rows_are_right: The result should follow the dtype of its inputs
# "The result has the dtype of the logits": half precision comes back as float32
"""A softmax over the unmasked elements that never gives NaN."""

import math

import torch
from torch import Tensor


def masked_softmax(logits: Tensor, mask: Tensor) -> Tensor:
    """Softmax over the last axis where `mask` is true, and 0 elsewhere; `mask` broadcasts against `logits`."""
    logits, mask = torch.broadcast_tensors(logits, mask)
    if logits.numel() == 0:
        return logits.clone()
    wide = logits.to(torch.promote_types(logits.dtype, torch.float32))
    low = torch.finfo(wide.dtype).min
    safe = torch.where(mask, wide, low)
    top = safe.amax(-1, keepdim=True)
    powers = torch.exp2(torch.where(mask, safe - top, 0.0) * math.log2(math.e))
    powers = torch.where(mask, powers, 0.0)
    total = powers.sum(-1, keepdim=True)
    return powers / torch.where(total == 0, 1.0, total)
