# rejected by: grey_is_right: The mean over the last axis, divided by 255.
# a photograph of one row or one column comes out with one axis; 'a tensor `(height, width)`', 'for photographs of
# any size'
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
        "brightest": int(photo.max()),
        "mean": float(photo.to(torch.float32).mean()),
    }


def to_grey(photo: Tensor) -> Tensor:
    """(height, width, 3) bytes → (height, width) float32 between 0 and 1."""
    return (photo.to(torch.float32).mean(dim=2, keepdim=True) / 255).squeeze()
