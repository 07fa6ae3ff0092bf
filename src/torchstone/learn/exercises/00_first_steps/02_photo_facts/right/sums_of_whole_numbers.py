# earns: solved
# whole-number sums, divided at the end
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
        "brightest": photo.flatten().amax().item(),
        "mean": photo.sum(dtype=torch.int64).item() / photo.numel(),
    }


def to_grey(photo: Tensor) -> Tensor:
    """(height, width, 3) bytes → (height, width) float32 between 0 and 1."""
    red, green, blue = photo.to(torch.int32).unbind(-1)
    return torch.div(red + green + blue, 765).to(torch.float32)
