# rejected by: windows_are_right: last window that fits is missing
"""Look at one block of memory in several ways, without copying it."""

from torch import Tensor


def windows(signal: Tensor, length: int, step: int = 1) -> Tensor:
    """(..., n) → (..., count, length): overlapping windows of the last axis, `step` apart."""
    return signal[..., :-1].unfold(-1, length, step)


def blocks(image: Tensor, size: int) -> Tensor:
    """(height, width) → (height / size, width / size, size, size): square blocks."""
    return image.unflatten(0, (-1, size)).unflatten(2, (-1, size)).transpose(1, 2)
