# rejected by: long_rows_in_half_precision: The sum of a long row passes 65,504, where float16 ends
# "half precision in rows of many thousand elements": adds up in the dtype of the logits
"""A softmax over the unmasked elements that never gives NaN."""

import math

import torch
from torch import Tensor


def masked_softmax(logits: Tensor, mask: Tensor) -> Tensor:
    """Softmax over the last axis where `mask` is true, and 0 elsewhere; `mask` broadcasts against `logits`."""
    logits, mask = torch.broadcast_tensors(logits, mask)
    low = torch.finfo(logits.dtype).min
    safe = torch.where(mask, logits, low)
    weights = torch.where(mask, (safe - safe.amax(-1, keepdim=True)).exp(), 0)
    total = torch.zeros_like(weights[..., :1])
    for part in weights.split(8, -1):
        total = total + part.sum(-1, keepdim=True)
    return torch.where(mask, weights / torch.where(total > 0, total, 1), 0)
