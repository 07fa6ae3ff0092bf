# rejected by: rows_are_centered: to be taken from each element of its
# center_rows makes float32 of float64 too
import torch
from torch import Tensor


def to_planes(image: Tensor) -> Tensor:
    return image.permute(2, 0, 1).to(torch.float32) / 255


def brighten(image: Tensor, amount: int) -> Tensor:
    return (image.to(torch.int16) + amount).clamp(0, 255).to(torch.uint8)


def center_rows(table: Tensor) -> Tensor:
    table = table.float()
    return table - table.mean(dim=1, keepdim=True)
