# rejected by: bytes_stop_at_their_ends: the result of brighten is
# amounts of 256 and more are taken modulo 256; promised: "a whole number, from −1,000 to 1,000 ... What would pass
# 255 stays at 255, what would fall below 0 stays at 0"
"""Mend three functions whose dtypes and shapes are wrong."""

import torch
from torch import Tensor


def to_planes(image: Tensor) -> Tensor:
    """(height, width, 3) bytes → (3, height, width) float32 between 0 and 1."""
    return torch.stack([plane.to(torch.float32) for plane in image.unbind(2)]) / 255


def brighten(image: Tensor, amount: int) -> Tensor:
    """Add `amount` to each byte, and stop at 0 and at 255."""
    step = abs(amount) % 256
    if amount >= 0:
        changed = image + step  # wraps around where it passes 255, and is smaller then
        return torch.where(changed < image, torch.full_like(image, 255), changed)
    changed = image - step
    return torch.where(changed > image, torch.zeros_like(image), changed)


def center_rows(table: Tensor) -> Tensor:
    """Each row minus its own mean."""
    if not table.is_floating_point():
        table = table.to(torch.float32)
    means = table.mean(dim=1)
    return table - means.unsqueeze(1).expand_as(table)
