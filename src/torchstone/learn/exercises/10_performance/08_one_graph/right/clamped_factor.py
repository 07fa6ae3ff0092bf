# earns: solved lean
# aminmax and a factor that is clamped at 1
"""Limit the loudest value of each row, in one graph for all shapes: one factor for each row, never above 1."""

import torch
from torch import Tensor


def squash(x: Tensor, limit: float) -> Tensor:
    """(rows, n): rows whose largest absolute value is above `limit` are scaled down to it."""
    low, high = torch.aminmax(x, dim=-1)
    loudest = torch.maximum(high, low.neg())
    factor = torch.full_like(loudest, limit).div(loudest).clamp_max(1.0)
    return factor.unsqueeze(-1).mul(x)
