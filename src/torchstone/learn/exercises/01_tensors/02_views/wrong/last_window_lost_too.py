# rejected by: windows_are_right: Window i, element j, is signal[..., i ·
# "a window that would reach past the end is left out": the last window that fits is missing and no other
"""Look at one block of memory in several ways, without copying it."""

import torch
from torch import Tensor


def windows(signal: Tensor, length: int, step: int = 1) -> Tensor:
    """(..., n) → (..., count, length): overlapping windows of the last axis, `step` apart."""
    count = (signal.shape[-1] - length) // step
    stride = signal.stride(-1)
    shape = (*signal.shape[:-1], count, length)
    return torch.as_strided(signal, shape, (*signal.stride()[:-1], step * stride, stride), signal.storage_offset())


def blocks(image: Tensor, size: int) -> Tensor:
    """(height, width) → (height / size, width / size, size, size): square blocks."""
    return image.unfold(0, size, size).unfold(1, size, size)
