# rejected by: no_number_is_lost: A quiet row stays as it is: times limit and divided by it, very large
# squares of large numbers are inf and of small ones 0; "very large and very small numbers are not lost on the way"
"""Limit the loudest value of each row, in one graph for all shapes."""

import torch
from torch import Tensor


def squash(x: Tensor, limit: float) -> Tensor:
    """(rows, n): rows whose largest absolute value is above `limit` are scaled down to it."""
    loudest = x.square().amax(1, keepdim=True).sqrt()
    return torch.where(loudest > limit, x * (limit / loudest), x)
