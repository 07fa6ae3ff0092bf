# rejected by: few_compilations: math.log(limit) fixes a value
"""Limit the loudest value of each row, in one graph for all shapes."""

import math

from torch import Tensor


def squash(x: Tensor, limit: float) -> Tensor:
    """(rows, n): rows whose largest absolute value is above `limit` are scaled down to it."""
    loudest = x.abs().amax(dim=1, keepdim=True).double()
    return x * (math.log(limit) - loudest.log()).exp().clamp(max=1).to(x.dtype)
