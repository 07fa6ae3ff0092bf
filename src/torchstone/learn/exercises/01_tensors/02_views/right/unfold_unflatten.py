# earns: solved lean
# unfold for windows; axes split in two and swapped for blocks
import torch
from torch import Tensor


def windows(signal: Tensor, length: int, step: int = 1) -> Tensor:
    return torch.Tensor.unfold(signal, signal.dim() - 1, length, step)


def blocks(image: Tensor, size: int) -> Tensor:
    height, width = image.shape
    split = image.unflatten(1, (width // size, size)).unflatten(0, (height // size, size))
    return split.transpose(1, 2)
