# rejected by: grey_is_right: The mean over the last axis, divided by
# a photograph one dot high or wide loses that axis
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
    return photo.float().mean(dim=2).squeeze() / 255
