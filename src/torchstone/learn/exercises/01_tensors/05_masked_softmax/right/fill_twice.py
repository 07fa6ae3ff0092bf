# earns: solved
# masked_fill before and after, in float64
"""A softmax over the unmasked elements that never gives NaN."""

import torch
from torch import Tensor


def masked_softmax(logits: Tensor, mask: Tensor) -> Tensor:
    """Softmax over the last axis where `mask` is true, and 0 elsewhere; `mask` broadcasts against `logits`."""
    hidden = ~mask
    numbers = logits.double().masked_fill(hidden, -torch.inf)
    largest = numbers.amax(dim=-1, keepdim=True).clamp(min=torch.finfo(torch.float64).min)
    weights = torch.exp(numbers - largest).masked_fill(hidden, 0.0)
    total = weights.sum(dim=-1, keepdim=True).clamp(min=1.0)  # the largest itself adds 1
    return (weights / total).to(logits.dtype)
