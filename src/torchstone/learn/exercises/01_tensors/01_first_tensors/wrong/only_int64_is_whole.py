# rejected by: rows_are_centered: (rows,) lines up with the columns: broadcasting counts axes
# int32, int16, bytes … raise an error; 'Whole numbers come out as float32', 'for every size, dtype and stride'
"""Mend three functions whose dtypes and shapes are wrong."""

import torch
from torch import Tensor


def to_planes(image: Tensor) -> Tensor:
    """(height, width, 3) bytes → (3, height, width) float32 between 0 and 1."""
    return image.permute(2, 0, 1).to(torch.float32) / 255


def brighten(image: Tensor, amount: int) -> Tensor:
    """Add `amount` to each byte, and stop at 0 and at 255."""
    return (image.to(torch.int16) + amount).clamp(0, 255).to(torch.uint8)


def center_rows(table: Tensor) -> Tensor:
    """Each row minus its own mean."""
    if table.dtype == torch.int64:
        table = table.to(torch.float32)
    return table - table.mean(dim=1, keepdim=True)
