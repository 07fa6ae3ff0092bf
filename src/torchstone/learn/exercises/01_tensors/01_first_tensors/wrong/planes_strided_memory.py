# rejected by: planes_are_right: the result of to_planes is 0 at [1, 0, 0], not
# "right results for every size, dtype and stride": the strides of a packed picture are assumed, so a crop or a
# flipped axis reads other bytes
import torch
from torch import Tensor


def to_planes(image: Tensor) -> Tensor:
    height, width, channels = image.shape
    planes = torch.as_strided(image, (channels, height, width), (1, width * channels, channels))
    return planes.float().div(255)


def brighten(image: Tensor, amount: int) -> Tensor:
    """Add `amount` to each byte, and stop at 0 and at 255."""
    return (image.to(torch.int64) + amount).clamp(0, 255).to(torch.uint8)


def center_rows(table: Tensor) -> Tensor:
    """Each row minus its own mean."""
    if not table.is_floating_point():
        table = table.to(torch.float32)
    return table - table.mean(dim=1, keepdim=True)
