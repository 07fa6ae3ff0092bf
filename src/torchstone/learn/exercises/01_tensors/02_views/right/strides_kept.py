# earns: solved lean
# as_strided with all strides computed, for both
import torch
from torch import Tensor


def windows(signal: Tensor, length: int, step: int = 1) -> Tensor:
    n, stride = signal.size(-1), signal.stride(-1)
    count = 1 + (n - length) // step
    sizes = list(signal.size())[:-1] + [count, length]
    strides = list(signal.stride())[:-1] + [step * stride, stride]
    return torch.as_strided(signal, sizes, strides, signal.storage_offset())


def blocks(image: Tensor, size: int) -> Tensor:
    (height, width), (down, right) = image.shape, image.stride()
    return torch.as_strided(
        image,
        (height // size, width // size, size, size),
        (down * size, right * size, down, right),
        image.storage_offset(),
    )
