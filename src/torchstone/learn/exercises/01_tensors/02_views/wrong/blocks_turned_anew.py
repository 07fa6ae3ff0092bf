# rejected by: blocks_are_right: Block (a
# each block comes out transposed: the axes inside are (column, row) (any size of 2 or more); 'square blocks'
"""Look at one block of memory in several ways, without copying it."""

import torch
from torch import Tensor


def windows(signal: Tensor, length: int, step: int = 1) -> Tensor:
    """(..., n) → (..., count, length): overlapping windows of the last axis, `step` apart."""
    return signal.unfold(-1, length, step)


def blocks(image: Tensor, size: int) -> Tensor:
    """(height, width) → (height / size, width / size, size, size): square blocks."""
    height, width = image.shape
    return image.view(height // size, size, width // size, size).permute(0, 2, 3, 1)
