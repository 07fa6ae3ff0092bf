# rejected by: facts_are_right: is not what it should be
# the dtype is that of the floats, not of the photograph
import torch
from torch import Tensor


def describe(photo: Tensor) -> dict:
    photo = photo.float()
    height, width, _ = photo.shape
    return {
        "height": height,
        "width": width,
        "dtype": photo.dtype,
        "brightest": int(photo.max()),
        "mean": photo.mean().item(),
    }


def to_grey(photo: Tensor) -> Tensor:
    return photo.float().mean(dim=2) / 255
