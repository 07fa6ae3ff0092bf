# rejected by: blocks_are_right: cut each axis in two, then order the
# each block comes out turned: its rows and columns are exchanged
import torch
from torch import Tensor


def windows(signal: Tensor, length: int, step: int = 1) -> Tensor:
    count = (signal.shape[-1] - length) // step + 1
    *outer, inner = signal.stride()
    shape = (*signal.shape[:-1], count, length)
    return signal.as_strided(shape, (*outer, inner * step, inner))


def blocks(image: Tensor, size: int) -> Tensor:
    return image.unfold(1, size, size).unfold(0, size, size)
