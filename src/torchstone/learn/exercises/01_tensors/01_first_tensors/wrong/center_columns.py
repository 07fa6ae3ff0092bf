# rejected by: rows_are_centered: That is the mean of each column
# "takes from each row its own mean": dim=0 with keepdim takes the mean of each column
import torch
from torch import Tensor


def to_planes(image: Tensor) -> Tensor:
    """(height, width, 3) bytes → (3, height, width) float32 between 0 and 1."""
    return image.permute(2, 0, 1).to(torch.float32) / 255


def brighten(image: Tensor, amount: int) -> Tensor:
    """Add `amount` to each byte, and stop at 0 and at 255."""
    return (image.to(torch.int64) + amount).clamp(0, 255).to(torch.uint8)


def center_rows(table: Tensor) -> Tensor:
    if not table.is_floating_point():
        table = table.to(torch.float32)
    return table - table.mean(dim=0, keepdim=True)
