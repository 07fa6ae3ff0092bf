# rejected by: rows_are_centered: A row's mean must have the shape (rows
# the means of a float64 table are float32 numbers: off by 1e-8 of their size; 'right results for every ... dtype'
# (float64 table with values near 1e6)
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
    means = table.to(torch.float32).mean(dim=1, keepdim=True)
    return table - means
