# rejected by: windows_are_right: strided argument has other strides
"""Look at one block of memory in several ways, without copying it."""

from torch import Tensor


def windows(signal: Tensor, length: int, step: int = 1) -> Tensor:
    """(..., n) → (..., count, length): overlapping windows of the last axis, `step` apart."""
    count = (signal.shape[-1] - length) // step + 1
    shape = (*signal.shape[:-1], count, length)
    return signal.as_strided(shape, (*signal.stride()[:-1], step, 1))


def blocks(image: Tensor, size: int) -> Tensor:
    """(height, width) → (height / size, width / size, size, size): square blocks."""
    return image.unflatten(0, (-1, size)).unflatten(2, (-1, size)).transpose(1, 2)
