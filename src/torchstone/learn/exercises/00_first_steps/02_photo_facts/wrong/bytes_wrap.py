# rejected by: grey_is_right: A byte that passes
# the three bytes are added as bytes and wrap at 256 (a white dot: 253/3/255); 'the mean of its red, green and blue'
"""Ask a photograph for its facts, and make it grey."""

import torch
from torch import Tensor


def describe(photo: Tensor) -> dict:
    """Height, width, dtype, brightest byte and mean of a (height, width, 3) photograph."""
    height, width, _ = photo.shape
    return {
        "height": height,
        "width": width,
        "dtype": photo.dtype,
        "brightest": photo.max().item(),
        "mean": photo.float().mean().item(),
    }


def to_grey(photo: Tensor) -> Tensor:
    """(height, width, 3) bytes → (height, width) float32 between 0 and 1."""
    red, green, blue = photo.unbind(dim=2)
    return (red + green + blue) / 3 / 255
