# earns: solved lean
# as_strided by hand
"""Look at one block of memory in several ways, without copying it."""

import torch
from torch import Tensor


def windows(signal: Tensor, length: int, step: int = 1) -> Tensor:
    """(..., n) → (..., count, length): overlapping windows of the last axis, `step` apart."""
    *outer, n = signal.shape
    *strides, last = signal.stride()
    count = max(0, (n - length) // step + 1)
    return torch.as_strided(signal, (*outer, count, length), (*strides, step * last, last), signal.storage_offset())


def blocks(image: Tensor, size: int) -> Tensor:
    """(height, width) → (height / size, width / size, size, size): square blocks."""
    height, width = image.shape
    down, right = image.stride()
    shape = height // size, width // size, size, size
    return torch.as_strided(image, shape, (down * size, right * size, down, right), image.storage_offset())
