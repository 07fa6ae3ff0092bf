# rejected by: facts_are_right: A tensor with one number is still a tensor
# brightest is a float, 255.0; 'brightest (int, the largest byte)' (any photo)
"""Ask a photograph for its facts, and make it grey."""

import torch
from torch import Tensor


def describe(photo: Tensor) -> dict:
    """Height, width, dtype, brightest byte and mean of a (height, width, 3) photograph."""
    height, width, _ = photo.shape
    light = photo.float()
    return {
        "height": height,
        "width": width,
        "dtype": photo.dtype,
        "brightest": light.max().item(),
        "mean": light.mean().item(),
    }


def to_grey(photo: Tensor) -> Tensor:
    """(height, width, 3) bytes → (height, width) float32 between 0 and 1."""
    return photo.float().mean(dim=2) / 255
