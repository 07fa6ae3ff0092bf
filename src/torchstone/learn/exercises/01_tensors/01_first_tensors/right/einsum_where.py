# earns: solved
# movedim, where instead of clamp, unsqueeze
"""Mend three functions whose dtypes and shapes are wrong."""

import torch
from torch import Tensor


def to_planes(image: Tensor) -> Tensor:
    """(height, width, 3) bytes → (3, height, width) float32 between 0 and 1."""
    return torch.div(image.movedim(-1, 0).float(), 255.0)


def brighten(image: Tensor, amount: int) -> Tensor:
    """Add `amount` to each byte, and stop at 0 and at 255."""
    wide = image.int().add(amount)
    wide = torch.where(wide > 255, 255, torch.where(wide < 0, 0, wide))
    return wide.byte()


def center_rows(table: Tensor) -> Tensor:
    """Each row minus its own mean."""
    if not table.is_floating_point():
        table = table.to(torch.float32)
    return table.sub(table.mean(1).unsqueeze(1))
