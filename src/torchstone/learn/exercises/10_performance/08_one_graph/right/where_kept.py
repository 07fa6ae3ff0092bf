# earns: solved lean
# torch.where over rows
"""Limit the loudest value of each row, in one graph for all shapes."""

import torch
from torch import Tensor


def squash(x: Tensor, limit: float) -> Tensor:
    """(rows, n): rows whose largest absolute value is above `limit` are scaled down to it."""
    loudest = x.abs().amax(1, keepdim=True)
    factor = torch.full_like(loudest, limit) / loudest
    return torch.where(loudest > limit, x * factor, x)
