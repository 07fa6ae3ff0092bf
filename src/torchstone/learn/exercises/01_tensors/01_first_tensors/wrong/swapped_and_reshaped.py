# rejected by: planes_are_right: the result of to_planes is
# height and width change places and a reshape hides it: the picture is turned or scrambled (2 × 3 picture); 'what a
# network wants: (3, height, width)'
"""Mend three functions whose dtypes and shapes are wrong."""

import torch
from torch import Tensor


def to_planes(image: Tensor) -> Tensor:
    """(height, width, 3) bytes → (3, height, width) float32 between 0 and 1."""
    height, width, channels = image.shape
    return image.transpose(0, 2).reshape(channels, height, width) / 255


def brighten(image: Tensor, amount: int) -> Tensor:
    """Add `amount` to each byte, and stop at 0 and at 255."""
    return (image.to(torch.int16) + amount).clamp(0, 255).to(torch.uint8)


def center_rows(table: Tensor) -> Tensor:
    """Each row minus its own mean."""
    if not table.is_floating_point():
        table = table.to(torch.float32)
    return table - table.mean(dim=1, keepdim=True)
