# rejected by: planes_are_right: the result of to_planes
# "float32 between 0 and 1": bytes are divided by the largest byte of this picture, so a dark picture becomes bright
# and a black one NaN
import torch
from torch import Tensor


def to_planes(image: Tensor) -> Tensor:
    planes = image.permute(2, 0, 1).float()
    return planes / planes.max() if planes.numel() else planes


def brighten(image: Tensor, amount: int) -> Tensor:
    """Add `amount` to each byte, and stop at 0 and at 255."""
    return (image.to(torch.int64) + amount).clamp(0, 255).to(torch.uint8)


def center_rows(table: Tensor) -> Tensor:
    """Each row minus its own mean."""
    if not table.is_floating_point():
        table = table.to(torch.float32)
    return table - table.mean(dim=1, keepdim=True)
