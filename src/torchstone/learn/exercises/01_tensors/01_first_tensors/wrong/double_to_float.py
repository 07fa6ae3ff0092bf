# rejected by: rows_are_centered: A row's mean must have the shape (rows
# "float32 and float64 stay what they are": everything becomes float32
"""Mend three functions whose dtypes and shapes are wrong."""

import torch
from torch import Tensor


def to_planes(image: Tensor) -> Tensor:
    """(height, width, 3) bytes → (3, height, width) float32 between 0 and 1."""
    return torch.einsum("hwc->chw", image.to(torch.float32)).div(255)


def brighten(image: Tensor, amount: int) -> Tensor:
    """Add `amount` to each byte, and stop at 0 and at 255."""
    wide = image.long().add(amount)
    return wide.where(wide > 0, 0).where(wide < 255, 255).type(torch.uint8)


def center_rows(table: Tensor) -> Tensor:
    """Each row minus its own mean."""
    table = table.to(torch.float32)
    return table - table.mean(dim=1, keepdim=True)
