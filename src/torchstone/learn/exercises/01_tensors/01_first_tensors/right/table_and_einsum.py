# earns: solved
# a look-up table for the bytes, stacked planes, a mean by sum
"""Mend three functions whose dtypes and shapes are wrong."""

import torch
from torch import Tensor


def to_planes(image: Tensor) -> Tensor:
    """(height, width, 3) bytes → (3, height, width) float32 between 0 and 1."""
    return torch.stack([plane.float().div(255) for plane in image.unbind(2)])


def brighten(image: Tensor, amount: int) -> Tensor:
    """Add `amount` to each byte, and stop at 0 and at 255."""
    answers = torch.tensor(
        [min(255, max(0, byte + amount)) for byte in range(256)], dtype=torch.uint8, device=image.device
    )
    return answers[image.long()]


def center_rows(table: Tensor) -> Tensor:
    """Each row minus its own mean."""
    if not table.is_floating_point():
        table = table.to(torch.float32)
    return (table.mT - table.mean(1)).mT
