# rejected by: rows_are_centered: The caller still needs what it handed in,
# center_rows changes a table of floats that it was given
import torch
from torch import Tensor


def to_planes(image: Tensor) -> Tensor:
    return image.permute(2, 0, 1).to(torch.float32) / 255


def brighten(image: Tensor, amount: int) -> Tensor:
    return (image.to(torch.int16) + amount).clamp(0, 255).to(torch.uint8)


def center_rows(table: Tensor) -> Tensor:
    if not table.is_floating_point():
        table = table.to(torch.float32)
    table -= table.mean(dim=1, keepdim=True)
    return table
