# earns: solved lean
# unfold with step 1 and a slice of it; blocks are windows of windows
"""Look at one block of memory in several ways, without copying it."""

import torch
from torch import Tensor


def windows(signal: Tensor, length: int, step: int = 1) -> Tensor:
    """(..., n) → (..., count, length): overlapping windows of the last axis, `step` apart."""
    every = signal.unfold(signal.dim() - 1, length, 1)
    return every[..., ::step, :]


def blocks(image: Tensor, size: int) -> Tensor:
    """(height, width) → (height / size, width / size, size, size): square blocks."""
    columns = windows(image, size, size)  # (height, width / size, size)
    return windows(columns.movedim(0, -1), size, size).permute(2, 0, 3, 1)
