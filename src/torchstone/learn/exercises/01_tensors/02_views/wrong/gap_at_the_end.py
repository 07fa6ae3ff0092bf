# rejected by: windows_are_right: The step may be longer than a window
# with gaps a last window that fits is left out: n = 10, length 2, step 4 has windows at 0, 4 and 8, here at 0 and
# 4; 'a window that would reach past the end is left out', no other
"""Look at one block of memory in several ways, without copying it."""

import torch
from torch import Tensor


def windows(signal: Tensor, length: int, step: int = 1) -> Tensor:
    """(..., n) → (..., count, length): overlapping windows of the last axis, `step` apart."""
    last = signal.shape[-1] - max(length, step)
    count = last // step + 1
    shape = (*signal.shape[:-1], count, length)
    along = signal.stride(-1)
    return signal.as_strided(shape, (*signal.stride()[:-1], step * along, along))


def blocks(image: Tensor, size: int) -> Tensor:
    """(height, width) → (height / size, width / size, size, size): square blocks."""
    height, width = image.shape
    return image.view(height // size, size, width // size, size).transpose(1, 2)
