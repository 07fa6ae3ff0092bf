# earns: solved lean
# where between the scaled and the plain row; loudest from aminmax, in float32 at least
"""Limit the loudest value of each row, in one graph for all shapes."""

import torch
from torch import Tensor


def squash(x: Tensor, limit: float) -> Tensor:
    """(rows, n): rows whose largest absolute value is above `limit` are scaled down to it."""
    wide = x.to(torch.promote_types(x.dtype, torch.float32))
    low, high = torch.aminmax(wide, dim=1, keepdim=True)
    loudest = torch.maximum(high, -low)
    return torch.where(loudest > limit, wide * (limit / loudest), wide).to(x.dtype)
