# rejected by: bytes_stop_at_their_ends: the result of brighten is
# "what would fall below 0 stays at 0": the guard against overflow knows positive amounts only
import torch
from torch import Tensor


def to_planes(image: Tensor) -> Tensor:
    """(height, width, 3) bytes → (3, height, width) float32 between 0 and 1."""
    return image.permute(2, 0, 1).to(torch.float32) / 255


def brighten(image: Tensor, amount: int) -> Tensor:
    full = torch.full_like(image, 255)
    return torch.where(image > 255 - amount, full, image + amount)


def center_rows(table: Tensor) -> Tensor:
    """Each row minus its own mean."""
    if not table.is_floating_point():
        table = table.to(torch.float32)
    return table - table.mean(dim=1, keepdim=True)
