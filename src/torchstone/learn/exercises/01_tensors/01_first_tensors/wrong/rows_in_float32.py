# rejected by: rows_are_centered: A row's mean must have the shape (rows, 1) to be taken from
# float64 rows go through float32; 'float32 and float64 stay what they are'
"""Mend three functions whose dtypes and shapes are wrong."""

import torch
from torch import Tensor


def to_planes(image: Tensor) -> Tensor:
    """(height, width, 3) bytes → (3, height, width) float32 between 0 and 1."""
    # permute moves axes and leaves each pixel's numbers together; reshape only re-reads the same row of numbers.
    return image.permute(2, 0, 1).to(torch.float32) / 255


def brighten(image: Tensor, amount: int) -> Tensor:
    """Add `amount` to each byte, and stop at 0 and at 255."""
    # Bytes wrap around (250 + 10 = 4), so the sum needs a wider dtype before it is clamped.
    return (image.to(torch.int32) + amount).clamp(0, 255).to(torch.uint8)


def center_rows(table: Tensor) -> Tensor:
    """Each row minus its own mean."""
    if not table.is_floating_point():
        table = table.to(torch.float32)
    kind, table = table.dtype, table.float()
    # keepdim leaves (rows, 1), which broadcasts along each row; (rows,) would line up with the columns.
    return (table - table.mean(dim=1, keepdim=True)).to(kind)
