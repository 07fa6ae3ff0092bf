# earns: solved
# the mean of the colours as a product with a vector
import torch
from torch import Tensor


def describe(photo: Tensor) -> dict:
    numbers = photo.to(torch.float32).reshape(-1)
    return dict(
        height=photo.size(0),
        width=photo.size(1),
        dtype=photo.dtype,
        brightest=int(numbers.max().item()),
        mean=float(numbers.mean()),
    )


def to_grey(photo: Tensor) -> Tensor:
    bright = photo.to(torch.float32) / 255
    third = torch.full((3,), 1 / 3, dtype=torch.float32, device=photo.device)
    return (bright @ third).clamp(0, 1)
