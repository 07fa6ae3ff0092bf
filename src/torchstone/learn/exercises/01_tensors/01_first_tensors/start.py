"""Mend three functions whose dtypes and shapes are wrong."""

import torch
from torch import Tensor


def to_planes(image: Tensor) -> Tensor:
    """(height, width, 3) bytes → (3, height, width) float32 between 0 and 1."""
    height, width, channels = image.shape
    # TODO: the shape is right and the picture is scrambled
    return image.reshape(channels, height, width) / 255


def brighten(image: Tensor, amount: int) -> Tensor:
    """Add `amount` to each byte, and stop at 0 and at 255."""
    # TODO: 250 + 10 should be 255
    return (image + amount).clamp(0, 255)


def center_rows(table: Tensor) -> Tensor:
    """Each row minus its own mean."""
    if not table.is_floating_point():
        table = table.to(torch.float32)
    # TODO: this takes something else from each row
    return table - table.mean(dim=1)
