# rejected by: no_number_is_lost: A quiet row stays as it is: times limit and divided by it, very large
# under a very large limit small numbers of quiet rows are lost in x / limit; "very large and very small numbers are
# not lost on the way' / 'other rows stay as they are"
"""Limit the loudest value of each row, in one graph for all shapes."""

import torch
from torch import Tensor


def squash(x: Tensor, limit: float) -> Tensor:
    """(rows, n): rows whose largest absolute value is above `limit` are scaled down to it."""
    loudest = x.abs().amax(1, keepdim=True)
    return x / loudest.clamp(min=limit) * limit
