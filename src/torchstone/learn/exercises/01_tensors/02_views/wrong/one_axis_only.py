# rejected by: windows_are_right: Window i
# "(..., n) becomes (..., count, length)": leading axes are flattened away
import torch
from torch import Tensor


def windows(signal: Tensor, length: int, step: int = 1) -> Tensor:
    count = (signal.shape[-1] - length) // step + 1
    stride = signal.stride(-1)
    return signal.as_strided((count, length), (stride * step, stride))


def blocks(image: Tensor, size: int) -> Tensor:
    """(height, width) → (height / size, width / size, size, size): square blocks."""
    return image.unfold(0, size, size).unfold(1, size, size)
