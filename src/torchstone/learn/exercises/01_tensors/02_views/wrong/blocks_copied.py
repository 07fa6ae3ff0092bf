# rejected by: blocks_share_memory: A copy has memory of its own
# "no bytes are copied": the permuted blocks are made contiguous by reshape
import torch
from torch import Tensor


def windows(signal: Tensor, length: int, step: int = 1) -> Tensor:
    """(..., n) → (..., count, length): overlapping windows of the last axis, `step` apart."""
    return signal.unfold(-1, length, step)


def blocks(image: Tensor, size: int) -> Tensor:
    height, width = image.shape
    cut = image.view(height // size, size, width // size, size).transpose(1, 2)
    return cut.reshape(-1, size, size).view(height // size, width // size, size, size)
