# rejected by: work_stays_on_the_device: Work where the photograph is: .cpu(), .numpy() and .tolist()
# numpy computes the grey picture; 'everything happens on the device where it is'
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
        "brightest": photo.max().item(),
        "mean": photo.to(torch.float32).mean().item(),
    }


def to_grey(photo: Tensor) -> Tensor:
    """(height, width, 3) bytes → (height, width) float32 between 0 and 1."""
    # dim names the axis that disappears: the last one, with the three colours.
    return torch.from_numpy(photo.cpu().numpy().mean(2, dtype="float32") / 255).to(photo.device)
