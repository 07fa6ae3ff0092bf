# earns: solved
# movedim, a lookup table of 256 bytes, and rows centred in the transposed table
"""Mend three functions whose dtypes and shapes are wrong."""

import torch
from torch import Tensor


def to_planes(image: Tensor) -> Tensor:
    """(height, width, 3) bytes → (3, height, width) float32 between 0 and 1."""
    return torch.stack([plane.float().div(255) for plane in image.unbind(-1)])


def brighten(image: Tensor, amount: int) -> Tensor:
    """Add `amount` to each byte, and stop at 0 and at 255."""
    table = torch.tensor([min(max(byte + amount, 0), 255) for byte in range(256)], dtype=torch.uint8)
    return table.to(image.device)[image.long()]


def center_rows(table: Tensor) -> Tensor:
    """Each row minus its own mean."""
    wide = table if table.is_floating_point() else table.float()
    return (wide.T - wide.mean(dim=1)).T
