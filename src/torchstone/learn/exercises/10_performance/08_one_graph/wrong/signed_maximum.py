# rejected by: results_are_right: the result of squash is
# a loud negative value is not seen; 'a row whose largest absolute value is above `limit` is scaled'
"""Limit the loudest value of each row, in one graph for all shapes."""

import torch
from torch import Tensor


def squash(x: Tensor, limit: float) -> Tensor:
    """(rows, n): rows whose largest absolute value is above `limit` are scaled down to it."""
    loudest = x.amax(1, keepdim=True)
    return x * (limit / loudest.clamp(min=limit))
