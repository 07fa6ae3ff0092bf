# earns: solved lean
"""Look at one block of memory in several ways, without copying it."""

import torch
from torch import Tensor


def windows(signal: Tensor, length: int, step: int = 1) -> Tensor:
    count = max(0, (signal.size(-1) - length) // step + 1)
    *outer, inner = signal.stride()
    return torch.as_strided(
        signal, [*signal.shape[:-1], count, length], [*outer, inner * step, inner], signal.storage_offset()
    )


def blocks(image: Tensor, size: int) -> Tensor:
    (height, width), (down, across) = image.shape, image.stride()
    return torch.as_strided(
        image,
        (height // size, width // size, size, size),
        (size * down, size * across, down, across),
        image.storage_offset(),
    )
