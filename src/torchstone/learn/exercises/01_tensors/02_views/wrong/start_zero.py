# rejected by: blocks_are_right: Block (a
# storage_offset=0: an image that is cut out of a larger one shows the larger one's corner (big[2:, 2:]); 'a start,
# and one stride for each axis', right for every stride
"""Look at one block of memory in several ways, without copying it."""

import torch
from torch import Tensor


def windows(signal: Tensor, length: int, step: int = 1) -> Tensor:
    """(..., n) → (..., count, length): overlapping windows of the last axis, `step` apart."""
    return signal.unfold(-1, length, step)


def blocks(image: Tensor, size: int) -> Tensor:
    """(height, width) → (height / size, width / size, size, size): square blocks."""
    height, width = image.shape
    down, right = image.stride()
    shape = (height // size, width // size, size, size)
    return image.as_strided(shape, (size * down, size * right, down, right), storage_offset=0)
