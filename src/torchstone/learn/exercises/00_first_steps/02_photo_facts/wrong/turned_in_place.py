# rejected by: grey_is_right: The caller still needs what it handed in
# transpose_ turns the caller's photo; 'The photograph itself stays as it is' (any photo: its shape is (3, width,
# height) afterwards)
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
    planes = photo.transpose_(0, 2)
    return planes.float().mean(dim=0).T / 255
