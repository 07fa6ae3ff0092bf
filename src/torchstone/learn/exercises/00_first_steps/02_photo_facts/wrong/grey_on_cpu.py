# rejected by: on_another_device: The pretend device stands for a GPU here:
# the grey picture is made on the CPU, wherever the photograph is
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
    grey = torch.zeros(photo.shape[0], photo.shape[1])
    for plane in photo.unbind(2):
        grey += plane.float().cpu()
    return grey / (3 * 255)
