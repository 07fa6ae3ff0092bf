# rejected by: facts_are_right: the result of describe
# "mean" is rounded to half precision; promised: `"mean"` (`float`, the mean of all bytes)
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
        mean=photo.to(torch.float16).mean().item(),
    )


def to_grey(photo: Tensor) -> Tensor:
    """(height, width, 3) bytes → (height, width) float32 between 0 and 1."""
    return photo.sum(dim=-1, dtype=torch.float32).div_(3 * 255)
