# rejected by: planes_are_right: Height and width changed places: say which old
# height and width are exchanged in each plane
import torch
from torch import Tensor


def to_planes(image: Tensor) -> Tensor:
    return image.permute(2, 1, 0).to(torch.float32) / 255


def brighten(image: Tensor, amount: int) -> Tensor:
    return (image.to(torch.int16) + amount).clamp(0, 255).to(torch.uint8)


def center_rows(table: Tensor) -> Tensor:
    if not table.is_floating_point():
        table = table.to(torch.float32)
    return table - table.mean(dim=1, keepdim=True)
