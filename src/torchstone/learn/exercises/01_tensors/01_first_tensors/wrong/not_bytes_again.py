# rejected by: bytes_stop_at_their_ends: The result should follow the dtype of its
# brighten returns int16 and not bytes
import torch
from torch import Tensor


def to_planes(image: Tensor) -> Tensor:
    return image.permute(2, 0, 1).to(torch.float32) / 255


def brighten(image: Tensor, amount: int) -> Tensor:
    return (image.to(torch.int16) + amount).clamp(0, 255)


def center_rows(table: Tensor) -> Tensor:
    if not table.is_floating_point():
        table = table.to(torch.float32)
    return table - table.mean(dim=1, keepdim=True)
