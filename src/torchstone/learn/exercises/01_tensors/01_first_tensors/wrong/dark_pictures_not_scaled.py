# rejected by: planes_are_right: Every picture is divided by 255, however dark or bright.
# a picture whose bytes are all 0 or 1 is not divided by 255; '`(3, height, width)` of float32 between 0 and 1' from
# bytes
"""Mend three functions whose dtypes and shapes are wrong."""

import torch
from torch import Tensor


def to_planes(image: Tensor) -> Tensor:
    """(height, width, 3) bytes → (3, height, width) float32 between 0 and 1."""
    planes = image.permute(2, 0, 1).to(torch.float32)
    if planes.numel() and planes.max() > 1:
        planes = planes / 255
    return planes


def brighten(image: Tensor, amount: int) -> Tensor:
    """Add `amount` to each byte, and stop at 0 and at 255."""
    return (image.to(torch.int16) + amount).clamp(0, 255).to(torch.uint8)


def center_rows(table: Tensor) -> Tensor:
    """Each row minus its own mean."""
    if not table.is_floating_point():
        table = table.to(torch.float32)
    return table - table.mean(dim=1, keepdim=True)
