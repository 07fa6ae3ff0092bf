# earns: solved lean
# blocks are windows of windows with the axes permuted
"""Look at one block of memory in several ways, without copying it."""

import torch
from torch import Tensor


def windows(signal: Tensor, length: int, step: int = 1) -> Tensor:
    """(..., n) → (..., count, length): overlapping windows of the last axis, `step` apart."""
    return signal.unfold(signal.dim() - 1, length, step)


def blocks(image: Tensor, size: int) -> Tensor:
    """(height, width) → (height / size, width / size, size, size): square blocks."""
    return windows(windows(image, size, size).movedim(0, -1), size, size).permute(2, 0, 3, 1)
