# earns: solved lean
# start and strides by hand for the windows, unflatten for the blocks
"""Look at one block of memory in several ways, without copying it."""

import torch
from torch import Tensor


def windows(signal: Tensor, length: int, step: int = 1) -> Tensor:
    """(..., n) → (..., count, length): overlapping windows of the last axis, `step` apart."""
    *lead, n = signal.shape
    *jumps, jump = signal.stride()
    count = len(range(0, n - length + 1, step))
    return torch.as_strided(signal, [*lead, count, length], [*jumps, step * jump, jump], signal.storage_offset())


def blocks(image: Tensor, size: int) -> Tensor:
    """(height, width) → (height / size, width / size, size, size): square blocks."""
    height, width = image.shape
    rows = image.unflatten(0, (height // size, size))
    return rows.unflatten(2, (width // size, size)).swapaxes(1, 2)
