# rejected by: results_are_right: the result of squash
# 1e-6 is added to the loudest value, which matters where it is small; "is scaled so that this value becomes `limit`"
"""Limit the loudest value of each row, in one graph for all shapes."""

import torch
from torch import Tensor


def squash(x: Tensor, limit: float) -> Tensor:
    """(rows, n): rows whose largest absolute value is above `limit` are scaled down to it."""
    loudest = x.abs().amax(1, keepdim=True)
    scaled = x * (limit / (loudest + 1e-6))
    return torch.where(loudest > limit, scaled, x)
