# rejected by: blocks_share_memory: A copy has memory of its own. Slicing, transpose, unfold,
# blocks of an image that is not contiguous are copied; 'no bytes are copied; the result looks into the memory of
# its argument'
"""Look at one block of memory in several ways, without copying it."""

import torch
from torch import Tensor


def windows(signal: Tensor, length: int, step: int = 1) -> Tensor:
    """(..., n) → (..., count, length): overlapping windows of the last axis, `step` apart."""
    count = (signal.shape[-1] - length) // step + 1
    *outer, stride = signal.stride()
    return signal.as_strided((*signal.shape[:-1], count, length), (*outer, step * stride, stride))


def blocks(image: Tensor, size: int) -> Tensor:
    """(height, width) → (height / size, width / size, size, size): square blocks."""
    height, width = image.shape
    image = image.contiguous()
    return image.unflatten(1, (width // size, size)).unflatten(0, (height // size, size)).transpose(1, 2)
