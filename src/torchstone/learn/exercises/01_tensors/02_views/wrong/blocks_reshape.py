# rejected by: blocks_are_right: reshape deals out the numbers in their old order
# "cuts (height, width) into square blocks": a plain reshape gives runs of a row, not squares
import torch
from torch import Tensor


def windows(signal: Tensor, length: int, step: int = 1) -> Tensor:
    """(..., n) → (..., count, length): overlapping windows of the last axis, `step` apart."""
    return signal.unfold(-1, length, step)


def blocks(image: Tensor, size: int) -> Tensor:
    height, width = image.shape
    return image.reshape(height // size, width // size, size, size)
