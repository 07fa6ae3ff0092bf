# rejected by: bytes_stop_at_their_ends: Bytes wrap around
# only the upper end is guarded: 5 − 10 wraps to 251; 'what would fall below 0 stays at 0'
"""Mend three functions whose dtypes and shapes are wrong."""

import torch
from torch import Tensor


def to_planes(image: Tensor) -> Tensor:
    """(height, width, 3) bytes → (3, height, width) float32 between 0 and 1."""
    return image.permute(2, 0, 1) / 255


def brighten(image: Tensor, amount: int) -> Tensor:
    """Add `amount` to each byte, and stop at 0 and at 255."""
    full = torch.full_like(image, 255)
    return torch.where(image.to(torch.int16) + amount > 255, full, image + amount)


def center_rows(table: Tensor) -> Tensor:
    """Each row minus its own mean."""
    if not table.is_floating_point():
        table = table.to(torch.float32)
    return table - table.mean(dim=1, keepdim=True)
