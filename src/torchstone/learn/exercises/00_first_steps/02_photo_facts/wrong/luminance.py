# rejected by: grey_is_right: The mean over the last axis
# "Each dot is the mean of its red, green and blue, divided by 255": weights the colours as the eye does
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
    red, green, blue = photo.float().unbind(2)
    return (0.299 * red + 0.587 * green + 0.114 * blue) / 255
