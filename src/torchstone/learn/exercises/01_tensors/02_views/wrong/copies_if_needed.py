# rejected by: windows_share_memory: A copy has memory of its own. Slicing,
# a signal that is not contiguous is copied first
import torch
from torch import Tensor


def windows(signal: Tensor, length: int, step: int = 1) -> Tensor:
    signal = signal.contiguous()
    count = (signal.shape[-1] - length) // step + 1
    *outer, inner = signal.stride()
    shape = (*signal.shape[:-1], count, length)
    return signal.as_strided(shape, (*outer, inner * step, inner))


def blocks(image: Tensor, size: int) -> Tensor:
    return image.unfold(0, size, size).unfold(1, size, size)
