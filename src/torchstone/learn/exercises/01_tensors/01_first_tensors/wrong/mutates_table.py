# rejected by: rows_are_centered: The caller still needs what it handed in
# center_rows subtracts in place, so the caller's own float table is changed
"""Mend three functions whose dtypes and shapes are wrong."""

import torch
from torch import Tensor


def to_planes(image: Tensor) -> Tensor:
    """(height, width, 3) bytes → (3, height, width) float32 between 0 and 1."""
    return torch.einsum("hwc->chw", image.to(torch.float32)).div(255)


def brighten(image: Tensor, amount: int) -> Tensor:
    """Add `amount` to each byte, and stop at 0 and at 255."""
    wide = image.long().add(amount)
    return wide.where(wide > 0, 0).where(wide < 255, 255).type(torch.uint8)


def center_rows(table: Tensor) -> Tensor:
    """Each row minus its own mean."""
    if not table.is_floating_point():
        table = table.to(torch.float32)
    table -= table.mean(dim=1, keepdim=True)
    return table
