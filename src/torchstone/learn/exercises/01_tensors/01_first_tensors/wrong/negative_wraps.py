# rejected by: bytes_stop_at_their_ends: the result of brighten is
# a negative amount wraps below 0, only 255 is guarded
import torch
from torch import Tensor


def to_planes(image: Tensor) -> Tensor:
    return image.permute(2, 0, 1).to(torch.float32) / 255


def brighten(image: Tensor, amount: int) -> Tensor:
    return torch.where(image > 255 - amount, 255, image + amount % 256).to(torch.uint8)


def center_rows(table: Tensor) -> Tensor:
    if not table.is_floating_point():
        table = table.to(torch.float32)
    return table - table.mean(dim=1, keepdim=True)
