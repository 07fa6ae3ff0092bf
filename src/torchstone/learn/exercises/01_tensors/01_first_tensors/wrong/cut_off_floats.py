# rejected by: bytes_stop_at_their_ends: the result of brighten is
# in floats between 0 and 1, and the way back cuts off: some bytes lose 1 (all 256 bytes with amount −10: 11 are
# wrong); 'adds a whole number ... to each byte'
"""Mend three functions whose dtypes and shapes are wrong."""

import torch
from torch import Tensor


def to_planes(image: Tensor) -> Tensor:
    """(height, width, 3) bytes → (3, height, width) float32 between 0 and 1."""
    return image.permute(2, 0, 1) / 255


def brighten(image: Tensor, amount: int) -> Tensor:
    """Add `amount` to each byte, and stop at 0 and at 255."""
    light = (image / 255 + amount / 255).clamp(0, 1)
    return (light * 255).to(torch.uint8)


def center_rows(table: Tensor) -> Tensor:
    """Each row minus its own mean."""
    if not table.is_floating_point():
        table = table.to(torch.float32)
    return table - table.mean(dim=1, keepdim=True)
