# rejected by: windows_are_right: Window i, element j, is signal[..., i · step + j]; a strided
# begins at the start of the memory, not at that of a slice; 'The tensors you are given need not be contiguous' / 'a
# start, and one stride for each axis'
"""Look at one block of memory in several ways, without copying it."""

import torch
from torch import Tensor


def windows(signal: Tensor, length: int, step: int = 1) -> Tensor:
    """(..., n) → (..., count, length): overlapping windows of the last axis, `step` apart."""
    count = (signal.shape[-1] - length) // step + 1
    *outer, stride = signal.stride()
    return signal.as_strided((*signal.shape[:-1], count, length), (*outer, step * stride, stride), 0)


def blocks(image: Tensor, size: int) -> Tensor:
    """(height, width) → (height / size, width / size, size, size): square blocks."""
    height, width = image.shape
    return image.unflatten(1, (width // size, size)).unflatten(0, (height // size, size)).transpose(1, 2)
