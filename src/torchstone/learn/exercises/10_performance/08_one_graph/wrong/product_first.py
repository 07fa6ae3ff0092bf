# rejected by: no_number_is_lost: A quiet row stays as it is
# "very large and very small numbers are not lost on the way": multiplies by the limit before it divides, which
# overflows or vanishes
"""Limit the loudest value of each row, in one graph for all shapes."""

import torch
from torch import Tensor


def squash(x: Tensor, limit: float) -> Tensor:
    """(rows, n): rows whose largest absolute value is above `limit` are scaled down to it."""
    loudest = x.abs().amax(1, keepdim=True)
    return torch.where(loudest > limit, x * limit / loudest, x)
