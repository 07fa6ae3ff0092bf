# rejected by: on_another_device: Work where the photograph is: .cpu(), .numpy() and .tolist()
# the work is done on the CPU and the result sent back; 'everything happens on the device where it is'
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
        "brightest": int(photo.amax()),
        "mean": photo.sum().item() / photo.numel(),
    }


def to_grey(photo: Tensor) -> Tensor:
    """(height, width, 3) bytes → (height, width) float32 between 0 and 1."""
    grey = photo.cpu().float().mean(2) / 255
    return grey.to(photo.device)
