# rejected by: results_are_right: the result of squash is
# everything goes through float32, and float64 numbers beyond it or finer than it are lost
"""Limit the loudest value of each row, in one graph for all shapes."""

import torch
from torch import Tensor


def squash(x: Tensor, limit: float) -> Tensor:
    """(rows, n): rows whose largest absolute value is above `limit` are scaled down to it."""
    given, x = x.dtype, x.float()
    loudest = x.abs().amax(1, keepdim=True)
    factor = torch.full_like(loudest, limit) / loudest
    return torch.where(loudest > limit, x * factor, x).to(given)
