# earns: solved
# unbind and stack, a table of 256 bytes, broadcasting from the other side
"""Mend three functions whose dtypes and shapes are wrong."""

import torch
from torch import Tensor


def to_planes(image: Tensor) -> Tensor:
    """(height, width, 3) bytes → (3, height, width) float32 between 0 and 1."""
    return torch.stack(image.unbind(2)).to(torch.float32).div_(255)


def brighten(image: Tensor, amount: int) -> Tensor:
    """Add `amount` to each byte, and stop at 0 and at 255."""
    table = (torch.arange(256, device=image.device) + amount).clamp(0, 255).to(torch.uint8)
    return table[image.long()]


def center_rows(table: Tensor) -> Tensor:
    """Each row minus its own mean."""
    if not table.is_floating_point():
        table = table.to(torch.float32)
    return (table.T - table.mean(dim=1)).T
