# earns: solved
# brightening without a wider dtype, rows as columns, einsum for the axes
"""Mend three functions whose dtypes and shapes are wrong."""

import torch
from torch import Tensor


def to_planes(image: Tensor) -> Tensor:
    """(height, width, 3) bytes → (3, height, width) float32 between 0 and 1."""
    return torch.einsum("hwc->chw", image.float()) / 255.0


def brighten(image: Tensor, amount: int) -> Tensor:
    """Add `amount` to each byte, and stop at 0 and at 255."""
    if amount >= 0:
        step = min(amount, 255)
        return image.clamp(max=255 - step) + step
    step = min(-amount, 255)
    return image.clamp(min=step) - step


def center_rows(table: Tensor) -> Tensor:
    """Each row minus its own mean."""
    if table.dtype not in (torch.float32, torch.float64):
        table = table.float()
    columns = table.transpose(0, 1)
    return (columns - columns.mean(dim=0)).transpose(0, 1)
