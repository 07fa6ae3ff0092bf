# earns: solved lean
# as_strided with sizes and strides worked out by hand, in both functions
"""Look at one block of memory in several ways, without copying it."""

import torch
from torch import Tensor


def windows(signal: Tensor, length: int, step: int = 1) -> Tensor:
    """(..., n) → (..., count, length): overlapping windows of the last axis, `step` apart."""
    count = (signal.shape[-1] - length) // step + 1
    stride = signal.stride(-1)
    shape = (*signal.shape[:-1], count, length)
    return torch.as_strided(signal, shape, (*signal.stride()[:-1], step * stride, stride), signal.storage_offset())


def blocks(image: Tensor, size: int) -> Tensor:
    """(height, width) → (height / size, width / size, size, size): square blocks."""
    height, width = image.shape
    down, across = image.stride()
    shape = (height // size, width // size, size, size)
    return image.as_strided(shape, (size * down, size * across, down, across), image.storage_offset())
