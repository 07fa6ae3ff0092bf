# rejected by: windows_are_right: Window i
# "The tensors you are given need not be contiguous": the strides are computed from the shape, not asked for
import torch
from torch import Tensor


def windows(signal: Tensor, length: int, step: int = 1) -> Tensor:
    *lead, n = signal.shape
    count = (n - length) // step + 1
    strides, total = [], n
    for one in reversed(lead):
        strides.insert(0, total)
        total *= one
    return signal.as_strided((*lead, count, length), (*strides, step, 1))


def blocks(image: Tensor, size: int) -> Tensor:
    """(height, width) → (height / size, width / size, size, size): square blocks."""
    return image.unfold(0, size, size).unfold(1, size, size)
