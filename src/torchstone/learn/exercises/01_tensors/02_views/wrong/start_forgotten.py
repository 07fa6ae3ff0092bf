# rejected by: windows_are_right: a strided argument has other strides than
# begins at the start of the memory, wrong for a signal that is part of a larger tensor
import torch
from torch import Tensor


def windows(signal: Tensor, length: int, step: int = 1) -> Tensor:
    count = (signal.shape[-1] - length) // step + 1
    *outer, inner = signal.stride()
    shape = (*signal.shape[:-1], count, length)
    return signal.as_strided(shape, (*outer, inner * step, inner), storage_offset=0)


def blocks(image: Tensor, size: int) -> Tensor:
    return image.unfold(0, size, size).unfold(1, size, size)
