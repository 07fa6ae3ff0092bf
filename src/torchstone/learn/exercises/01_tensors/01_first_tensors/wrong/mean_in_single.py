# rejected by: rows_are_centered: to be taken from each element of its row
# the mean of a float64 table is rounded to float32; promised: "takes from each row its own mean", "right results for
# every size, dtype and stride"
"""Mend three functions whose dtypes and shapes are wrong."""

import torch
from torch import Tensor


def to_planes(image: Tensor) -> Tensor:
    """(height, width, 3) bytes → (3, height, width) float32 between 0 and 1."""
    return torch.stack([plane.to(torch.float32) for plane in image.unbind(2)]) / 255


def brighten(image: Tensor, amount: int) -> Tensor:
    """Add `amount` to each byte, and stop at 0 and at 255."""
    step = min(abs(amount), 255)
    if amount >= 0:
        changed = image + step  # wraps around where it passes 255, and is smaller then
        return torch.where(changed < image, torch.full_like(image, 255), changed)
    changed = image - step
    return torch.where(changed > image, torch.zeros_like(image), changed)


def center_rows(table: Tensor) -> Tensor:
    """Each row minus its own mean."""
    if not table.is_floating_point():
        table = table.to(torch.float32)
    means = table.mean(dim=1, dtype=torch.float32).to(table.dtype)
    return table - means.unsqueeze(1).expand_as(table)
