# rejected by: windows_are_right: The step may be longer than a window: gaps are left.
# with gaps between the windows the last one that fits may be lost; 'Window `i` starts at `i · step`, so windows may
# overlap, or have gaps between them; a window that would reach past the end is left out'
"""Look at one block of memory in several ways, without copying it."""

import torch
from torch import Tensor


def windows(signal: Tensor, length: int, step: int = 1) -> Tensor:
    """(..., n) → (..., count, length): overlapping windows of the last axis, `step` apart."""
    n = signal.shape[-1]
    count = n // step if step > length else (n - length) // step + 1
    *outer, stride = signal.stride()
    return signal.as_strided((*signal.shape[:-1], count, length), (*outer, step * stride, stride))


def blocks(image: Tensor, size: int) -> Tensor:
    """(height, width) → (height / size, width / size, size, size): square blocks."""
    height, width = image.shape
    return image.unflatten(1, (width // size, size)).unflatten(0, (height // size, size)).transpose(1, 2)
