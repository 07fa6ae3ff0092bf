# rejected by: rows_are_centered: A row's mean must have the shape (rows
# "takes from each row its own mean": the mean of whole numbers is computed by floor division, before turning to float
import torch
from torch import Tensor


def to_planes(image: Tensor) -> Tensor:
    """(height, width, 3) bytes → (3, height, width) float32 between 0 and 1."""
    return image.permute(2, 0, 1).to(torch.float32) / 255


def brighten(image: Tensor, amount: int) -> Tensor:
    """Add `amount` to each byte, and stop at 0 and at 255."""
    return (image.to(torch.int64) + amount).clamp(0, 255).to(torch.uint8)


def center_rows(table: Tensor) -> Tensor:
    if table.is_floating_point():
        return table - table.mean(1, keepdim=True)
    mean = table.sum(1, keepdim=True) // max(table.shape[1], 1)
    return (table - mean).to(torch.float32)
