# rejected by: blocks_are_right: Block (a
# "right values for every size and stride": width is taken for the stride of a row
import torch
from torch import Tensor


def windows(signal: Tensor, length: int, step: int = 1) -> Tensor:
    """(..., n) → (..., count, length): overlapping windows of the last axis, `step` apart."""
    return signal.unfold(-1, length, step)


def blocks(image: Tensor, size: int) -> Tensor:
    height, width = image.shape
    return image.as_strided((height // size, width // size, size, size), (size * width, size, width, 1))
