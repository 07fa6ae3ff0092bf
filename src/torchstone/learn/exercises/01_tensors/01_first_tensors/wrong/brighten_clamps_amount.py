# rejected by: bytes_stop_at_their_ends: the result of brighten is
# "adds a number to each byte": the amount is squeezed into a byte first, so −20 is taken as 0
import torch
from torch import Tensor


def to_planes(image: Tensor) -> Tensor:
    """(height, width, 3) bytes → (3, height, width) float32 between 0 and 1."""
    return image.permute(2, 0, 1).to(torch.float32) / 255


def brighten(image: Tensor, amount: int) -> Tensor:
    amount = max(0, min(255, amount))
    room = 255 - image
    return image + room.clamp(max=amount)


def center_rows(table: Tensor) -> Tensor:
    """Each row minus its own mean."""
    if not table.is_floating_point():
        table = table.to(torch.float32)
    return table - table.mean(dim=1, keepdim=True)
