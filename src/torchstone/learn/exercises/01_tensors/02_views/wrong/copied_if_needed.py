# rejected by: windows_share_memory: A copy has memory of its own
# contiguous() copies a signal that is not contiguous; 'no bytes are copied; the result looks into the memory of its
# argument' (signal[::2])
"""Look at one block of memory in several ways, without copying it."""

import torch
from torch import Tensor


def windows(signal: Tensor, length: int, step: int = 1) -> Tensor:
    """(..., n) → (..., count, length): overlapping windows of the last axis, `step` apart."""
    return signal.contiguous().unfold(-1, length, step)


def blocks(image: Tensor, size: int) -> Tensor:
    """(height, width) → (height / size, width / size, size, size): square blocks."""
    height, width = image.shape
    return image.view(height // size, size, width // size, size).transpose(1, 2)
