# rejected by: windows_share_memory: A copy has memory of its own
# "no bytes are copied": contiguous() copies every signal that is not packed
import torch
from torch import Tensor


def windows(signal: Tensor, length: int, step: int = 1) -> Tensor:
    return signal.contiguous().unfold(-1, length, step)


def blocks(image: Tensor, size: int) -> Tensor:
    """(height, width) → (height / size, width / size, size, size): square blocks."""
    return image.unfold(0, size, size).unfold(1, size, size)
