# earns: solved
# one plane at a time, and torch.mean with a dtype
"""Ask a photograph for its facts, and make it grey."""

import torch
from torch import Tensor


def describe(photo: Tensor) -> dict:
    """Height, width, dtype, brightest byte and mean of a (height, width, 3) photograph."""
    _, brightest = torch.aminmax(photo)
    return dict(
        height=photo.size(0),
        width=photo.size(1),
        dtype=photo.dtype,
        brightest=brightest.item(),
        mean=float(torch.mean(photo, dtype=torch.float32)),
    )


def to_grey(photo: Tensor) -> Tensor:
    """(height, width, 3) bytes → (height, width) float32 between 0 and 1."""
    grey = torch.zeros(photo.shape[:2], dtype=torch.float32, device=photo.device)
    for colour in range(3):
        grey += photo[..., colour]
    return grey / 3 / 255
