# rejected by: windows_are_right: Window i
# "A tensor is ... a start, and one stride for each axis": the start is given as 0, so a slice shows its mother's
# first numbers
import torch
from torch import Tensor


def windows(signal: Tensor, length: int, step: int = 1) -> Tensor:
    count = (signal.shape[-1] - length) // step + 1
    *lead, last = signal.stride()
    return torch.as_strided(signal, (*signal.shape[:-1], count, length), (*lead, last * step, last), 0)


def blocks(image: Tensor, size: int) -> Tensor:
    """(height, width) → (height / size, width / size, size, size): square blocks."""
    return image.unfold(0, size, size).unfold(1, size, size)
