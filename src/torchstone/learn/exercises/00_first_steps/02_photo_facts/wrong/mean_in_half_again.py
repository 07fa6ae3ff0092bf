# rejected by: facts_are_right: the result of describe['mean'] is
# the mean is rounded to half precision, off by up to 0.06; '`"mean"` (`float`, the mean of all bytes)'
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
        "mean": float(photo.half().mean()),
    }


def to_grey(photo: Tensor) -> Tensor:
    """(height, width, 3) bytes → (height, width) float32 between 0 and 1."""
    return photo.to(torch.float32).mean(dim=2) / 255
