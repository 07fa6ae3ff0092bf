# rejected by: facts_are_right: Height comes first in the shape: (height, width
# height and width are exchanged
import torch
from torch import Tensor


def describe(photo: Tensor) -> dict:
    width, height, _ = photo.shape
    return {
        "height": height,
        "width": width,
        "dtype": photo.dtype,
        "brightest": photo.max().item(),
        "mean": photo.float().mean().item(),
    }


def to_grey(photo: Tensor) -> Tensor:
    return photo.float().mean(dim=2) / 255
