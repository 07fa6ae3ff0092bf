# earns: solved
# sums of whole numbers, divided once
import torch
from torch import Tensor


def describe(photo: Tensor) -> dict:
    total = int(photo.sum(dtype=torch.int64))
    facts = dict(zip(("height", "width"), photo.shape[:2], strict=True))
    facts["dtype"] = photo.dtype
    facts["brightest"] = int(photo.flatten().amax())
    facts["mean"] = total / photo.numel()
    return facts


def to_grey(photo: Tensor) -> Tensor:
    return torch.div(photo.sum(dim=-1, dtype=torch.int64).to(torch.float32), 3 * 255)
