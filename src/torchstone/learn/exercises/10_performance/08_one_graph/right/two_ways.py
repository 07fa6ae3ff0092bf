# earns: solved lean
# two ways to scale, chosen by torch.where so that neither end is lost
"""Limit the loudest value of each row, in one graph for all shapes."""

import torch
from torch import Tensor


def squash(x: Tensor, limit: float) -> Tensor:
    """(rows, n): rows whose largest absolute value is above `limit` are scaled down to it."""
    loudest = x.abs().amax(1, keepdim=True)
    factor = limit / loudest
    scaled = torch.where(factor < torch.finfo(x.dtype).tiny, x / loudest * limit, x * factor)
    return torch.where(loudest > limit, scaled, x)
