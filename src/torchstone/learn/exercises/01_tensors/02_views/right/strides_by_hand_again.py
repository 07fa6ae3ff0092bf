# earns: solved lean
# as_strided for both, with offset and strides of the argument
"""Look at one block of memory in several ways, without copying it."""

import torch
from torch import Tensor


def windows(signal: Tensor, length: int, step: int = 1) -> Tensor:
    """(..., n) → (..., count, length): overlapping windows of the last axis, `step` apart."""
    count = len(range(0, signal.shape[-1] - length + 1, step))
    walk = signal.stride(-1)
    shape = list(signal.shape[:-1]) + [count, length]
    strides = list(signal.stride()[:-1]) + [step * walk, walk]
    return torch.as_strided(signal, shape, strides, signal.storage_offset())


def blocks(image: Tensor, size: int) -> Tensor:
    """(height, width) → (height / size, width / size, size, size): square blocks."""
    (height, width), (down, right) = image.shape, image.stride()
    shape = (height // size, width // size, size, size)
    return torch.as_strided(image, shape, (size * down, size * right, down, right), image.storage_offset())
