# rejected by: blocks_are_right: deals out the numbers in their old order
"""Look at one block of memory in several ways, without copying it."""

from torch import Tensor


def windows(signal: Tensor, length: int, step: int = 1) -> Tensor:
    """(..., n) → (..., count, length): overlapping windows of the last axis, `step` apart."""
    return signal.unfold(-1, length, step)


def blocks(image: Tensor, size: int) -> Tensor:
    """(height, width) → (height / size, width / size, size, size): square blocks."""
    return image.reshape(image.shape[0] // size, image.shape[1] // size, size, size)
