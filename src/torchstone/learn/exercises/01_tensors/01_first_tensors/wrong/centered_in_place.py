# rejected by: rows_are_centered: The caller still needs what it handed in
# a float table is centered in place, the caller's too; 'The arguments stay as they are' (float32 or float64 table)
"""Mend three functions whose dtypes and shapes are wrong."""

import torch
from torch import Tensor


def to_planes(image: Tensor) -> Tensor:
    """(height, width, 3) bytes → (3, height, width) float32 between 0 and 1."""
    return image.permute(2, 0, 1) / 255


def brighten(image: Tensor, amount: int) -> Tensor:
    """Add `amount` to each byte, and stop at 0 and at 255."""
    return (image.to(torch.int16) + amount).clamp(0, 255).to(torch.uint8)


def center_rows(table: Tensor) -> Tensor:
    """Each row minus its own mean."""
    if not table.is_floating_point():
        table = table.to(torch.float32)
    table -= table.mean(dim=1, keepdim=True)
    return table
