# rejected by: grey_is_right: The mean over the last axis
# keepdim and squeeze() lose axes of length 1: a single dot gives shape (); 'photographs of any size, from a single
# dot'
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
    return photo.float().mean(dim=2, keepdim=True).squeeze() / 255
