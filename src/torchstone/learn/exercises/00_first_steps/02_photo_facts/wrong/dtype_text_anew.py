# rejected by: facts_are_right: the result of describe['dtype'] is not what it should be
# dtype is the text 'torch.uint8'; 'dtype (photo.dtype itself)' (any photo)
"""Ask a photograph for its facts, and make it grey."""

import torch
from torch import Tensor


def describe(photo: Tensor) -> dict:
    """Height, width, dtype, brightest byte and mean of a (height, width, 3) photograph."""
    height, width, _ = photo.shape
    return {
        "height": height,
        "width": width,
        "dtype": str(photo.dtype),
        "brightest": photo.max().item(),
        "mean": photo.float().mean().item(),
    }


def to_grey(photo: Tensor) -> Tensor:
    """(height, width, 3) bytes → (height, width) float32 between 0 and 1."""
    return photo.float().mean(dim=2) / 255
