# rejected by: blocks_are_right: Block (a, b) holds image[a · size + i, b · size + j]: cut each
# the strides are those of a contiguous image; 'The tensors you are given need not be contiguous.'
"""Look at one block of memory in several ways, without copying it."""

import torch
from torch import Tensor


def windows(signal: Tensor, length: int, step: int = 1) -> Tensor:
    """(..., n) → (..., count, length): overlapping windows of the last axis, `step` apart."""
    *front, n = signal.shape
    *strides, last = signal.stride()
    count = (n - length) // step + 1
    return signal.as_strided((*front, count, length), (*strides, step * last, last))


def blocks(image: Tensor, size: int) -> Tensor:
    """(height, width) → (height / size, width / size, size, size): square blocks."""
    height, width = image.shape
    down, right = width, 1
    return image.as_strided((height // size, width // size, size, size), (size * down, size * right, down, right))
