# rejected by: rows_are_centered: A row's mean must have the shape (rows
# "float32 and float64 stay what they are": everything is turned to float32
import torch
from torch import Tensor


def to_planes(image: Tensor) -> Tensor:
    """(height, width, 3) bytes → (3, height, width) float32 between 0 and 1."""
    return image.permute(2, 0, 1).to(torch.float32) / 255


def brighten(image: Tensor, amount: int) -> Tensor:
    """Add `amount` to each byte, and stop at 0 and at 255."""
    return (image.to(torch.int64) + amount).clamp(0, 255).to(torch.uint8)


def center_rows(table: Tensor) -> Tensor:
    table = table.float()
    return table - table.mean(1, keepdim=True)
