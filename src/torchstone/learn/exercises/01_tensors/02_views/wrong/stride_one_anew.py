# rejected by: windows_are_right: Window i
# takes the last axis' stride for 1: signal[::2] or a transposed signal gives other numbers; 'need not be
# contiguous'
"""Look at one block of memory in several ways, without copying it."""

import torch
from torch import Tensor


def windows(signal: Tensor, length: int, step: int = 1) -> Tensor:
    """(..., n) → (..., count, length): overlapping windows of the last axis, `step` apart."""
    count = (signal.shape[-1] - length) // step + 1
    shape = (*signal.shape[:-1], count, length)
    return signal.as_strided(shape, (*signal.stride()[:-1], step, 1))


def blocks(image: Tensor, size: int) -> Tensor:
    """(height, width) → (height / size, width / size, size, size): square blocks."""
    height, width = image.shape
    return image.view(height // size, size, width // size, size).transpose(1, 2)
