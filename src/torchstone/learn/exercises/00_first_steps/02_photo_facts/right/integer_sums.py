# earns: solved
"""Ask a photograph for its facts, and make it grey."""

import torch
from torch import Tensor


def describe(photo: Tensor) -> dict:
    flat = photo.reshape(-1)
    return dict(
        height=len(photo),
        width=len(photo[0]),
        dtype=photo.dtype,
        brightest=int(torch.sort(flat).values[-1]),
        mean=int(flat.sum(dtype=torch.int64)) / flat.numel(),
    )


def to_grey(photo: Tensor) -> Tensor:
    return torch.sum(photo, dim=-1, dtype=torch.int64).to(torch.float32) / (3 * 255)
