# rejected by: windows_are_right: Window i
# "a window that would reach past the end is left out": and only that one; here the last one that fits is lost too
import torch
from torch import Tensor


def windows(signal: Tensor, length: int, step: int = 1) -> Tensor:
    count = (signal.shape[-1] - length) // step
    *lead, last = signal.stride()
    return signal.as_strided((*signal.shape[:-1], count, length), (*lead, last * step, last))


def blocks(image: Tensor, size: int) -> Tensor:
    """(height, width) → (height / size, width / size, size, size): square blocks."""
    return image.unfold(0, size, size).unfold(1, size, size)
