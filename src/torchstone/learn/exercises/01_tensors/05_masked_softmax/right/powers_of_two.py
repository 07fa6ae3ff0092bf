# earns: solved
# powers of two instead of e, and a where at the end
"""A softmax over the unmasked elements that never gives NaN."""

import math

import torch
from torch import Tensor


def masked_softmax(logits: Tensor, mask: Tensor) -> Tensor:
    """Softmax over the last axis where `mask` is true, and 0 elsewhere; `mask` broadcasts against `logits`."""
    wide = torch.promote_types(logits.dtype, torch.float32)
    lowest = torch.finfo(wide).min
    known = torch.where(mask, logits.to(wide), lowest)
    below = known - known.max(dim=-1, keepdim=True).values
    powers = torch.where(mask, torch.exp2(below * math.log2(math.e)), 0.0)
    total = torch.linalg.vector_norm(powers, ord=1, dim=-1, keepdim=True)
    return torch.where(mask & (total > 0), powers / total, 0.0).to(logits.dtype)
