"""Look at one block of memory in several ways, without copying it."""

import torch
from torch import Tensor


def windows(signal: Tensor, length: int, step: int = 1) -> Tensor:
    """(..., n) → (..., count, length): overlapping windows of the last axis, `step` apart."""
    # TODO: this copies, and it loses the last window that fits; a start and a stride for each axis are enough
    last = signal.shape[-1] - length
    return torch.stack([signal[..., start : start + length] for start in range(0, last, step)], dim=-2)


def blocks(image: Tensor, size: int) -> Tensor:
    """(height, width) → (height / size, width / size, size, size): square blocks."""
    # TODO
    raise NotImplementedError("blocks")
