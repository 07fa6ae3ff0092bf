# rejected by: blocks_are_right: Block (a
# "(height / size, width / size, size, size)" of square blocks: each block comes out transposed
import torch
from torch import Tensor


def windows(signal: Tensor, length: int, step: int = 1) -> Tensor:
    """(..., n) → (..., count, length): overlapping windows of the last axis, `step` apart."""
    return signal.unfold(-1, length, step)


def blocks(image: Tensor, size: int) -> Tensor:
    return image.unfold(1, size, size).unfold(0, size, size)
