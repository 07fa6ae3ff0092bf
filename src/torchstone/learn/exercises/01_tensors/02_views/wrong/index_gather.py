# rejected by: windows_share_memory: A copy has memory of its own
# "no bytes are copied; the result looks into the memory of its argument": indexing with a table of places makes a new
# tensor
import torch
from torch import Tensor


def windows(signal: Tensor, length: int, step: int = 1) -> Tensor:
    count = max(0, (signal.shape[-1] - length) // step + 1)
    starts = torch.arange(count, device=signal.device) * step
    return signal[..., starts[:, None] + torch.arange(length, device=signal.device)]


def blocks(image: Tensor, size: int) -> Tensor:
    """(height, width) → (height / size, width / size, size, size): square blocks."""
    return image.unfold(0, size, size).unfold(1, size, size)
