# rejected by: on_another_device: Work where the photograph is: .cpu(), .numpy() and .tolist()
# the grey picture is computed on the CPU and sent back; 'everything happens on the device where it is'
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
    return (photo.cpu().to(torch.float32).mean(dim=2) / 255).to(photo.device)
