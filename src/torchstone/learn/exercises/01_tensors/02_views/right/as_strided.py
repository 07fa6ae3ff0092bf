# earns: solved lean
# starts and strides by hand
import torch
from torch import Tensor


def windows(signal: Tensor, length: int, step: int = 1) -> Tensor:
    n = signal.shape[-1]
    count = (n - length) // step + 1 if n >= length else 0
    *lead, last = signal.stride()
    return torch.as_strided(
        signal, (*signal.shape[:-1], count, length), (*lead, last * step, last), signal.storage_offset()
    )


def blocks(image: Tensor, size: int) -> Tensor:
    down, across = image.stride()
    height, width = image.shape
    shape = (height // size, width // size, size, size)
    return image.as_strided(shape, (down * size, across * size, down, across), image.storage_offset())
