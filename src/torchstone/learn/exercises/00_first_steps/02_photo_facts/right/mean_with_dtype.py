# earns: solved
# dict built from zip, means with dtype=, flat views
"""Ask a photograph for its facts, and make it grey."""

import torch
from torch import Tensor


def describe(photo: Tensor) -> dict:
    """Height, width, dtype, brightest byte and mean of a (height, width, 3) photograph."""
    facts = dict(zip(("height", "width"), photo.shape))
    flat = photo.reshape(-1)
    facts["dtype"] = photo.dtype
    facts["brightest"] = int(torch.amax(flat, dim=0))
    facts["mean"] = float(torch.mean(flat, dim=0, dtype=torch.float32))
    return facts


def to_grey(photo: Tensor) -> Tensor:
    """(height, width, 3) bytes → (height, width) float32 between 0 and 1."""
    return torch.mean(photo, dim=-1, dtype=torch.float32).div_(255)
