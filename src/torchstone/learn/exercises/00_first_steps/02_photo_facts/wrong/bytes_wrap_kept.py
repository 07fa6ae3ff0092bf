# rejected by: grey_is_right: again: turn the bytes into floats before you
# the sum of the three colours is taken in bytes and wraps at 256
import torch
from torch import Tensor


def describe(photo: Tensor) -> dict:
    height, width, _ = photo.shape
    return {
        "height": height,
        "width": width,
        "dtype": photo.dtype,
        "brightest": photo.max().item(),
        "mean": photo.float().mean().item(),
    }


def to_grey(photo: Tensor) -> Tensor:
    return (photo[:, :, 0] + photo[:, :, 1] + photo[:, :, 2]).float() / 3 / 255
