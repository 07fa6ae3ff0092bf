# rejected by: results_are_right: the result of squash is
# "very large and very small numbers are not lost on the way": a small number is added to the loudest value
"""Limit the loudest value of each row, in one graph for all shapes."""

import torch
from torch import Tensor


def squash(x: Tensor, limit: float) -> Tensor:
    """(rows, n): rows whose largest absolute value is above `limit` are scaled down to it."""
    loudest = x.abs().amax(1, keepdim=True)
    return x * (limit / (loudest + 1e-6)).clamp(max=1)
