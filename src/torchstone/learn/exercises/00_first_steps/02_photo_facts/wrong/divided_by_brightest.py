# rejected by: grey_is_right: The mean over the last axis, divided by
# a dark picture is made brighter; promised: "the mean of its red, green and blue, divided by 255"
"""Ask a photograph for its facts, and make it grey."""

import torch
from torch import Tensor


def describe(photo: Tensor) -> dict:
    """Height, width, dtype, brightest byte and mean of a (height, width, 3) photograph."""
    height, width, _ = photo.size()
    return dict(
        height=int(height),
        width=int(width),
        dtype=photo.dtype,
        brightest=photo.flatten().max().item(),
        mean=photo.sum(dtype=torch.int64).item() / photo.numel(),
    )


def to_grey(photo: Tensor) -> Tensor:
    """(height, width, 3) bytes → (height, width) float32 between 0 and 1."""
    return photo.sum(dim=-1, dtype=torch.float32).div_(3 * max(int(photo.max()), 1))
