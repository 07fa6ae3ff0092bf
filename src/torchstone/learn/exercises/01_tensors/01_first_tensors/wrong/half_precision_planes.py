# rejected by: planes_are_right: the result of to_planes is
# "float32 between 0 and 1": gives float16-rounded values, and float16 dtype of the intermediate loses digits
"""Mend three functions whose dtypes and shapes are wrong."""

import torch
from torch import Tensor


def to_planes(image: Tensor) -> Tensor:
    """(height, width, 3) bytes → (3, height, width) float32 between 0 and 1."""
    return image.permute(2, 0, 1).half().div(255).float()


def brighten(image: Tensor, amount: int) -> Tensor:
    """Add `amount` to each byte, and stop at 0 and at 255."""
    wide = image.long().add(amount)
    return wide.where(wide > 0, 0).where(wide < 255, 255).type(torch.uint8)


def center_rows(table: Tensor) -> Tensor:
    """Each row minus its own mean."""
    table = table if table.dtype in (torch.float32, torch.float64) else table.float()
    return torch.stack([row - row.mean() for row in table]) if table.numel() else table.clone()
