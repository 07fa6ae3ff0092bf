# rejected by: no_number_is_lost: x / loudest is 0 for a number that is small beside the
# a number that is small beside the loudest one becomes 0 before a large limit brings it back; "very large and very
# small numbers are not lost on the way"
"""Limit the loudest value of each row, in one graph for all shapes."""

import torch
from torch import Tensor


def squash(x: Tensor, limit: float) -> Tensor:
    """(rows, n): rows whose largest absolute value is above `limit` are scaled down to it."""
    loudest = x.abs().amax(1, keepdim=True)
    scaled = x / loudest * limit
    return torch.where(loudest > limit, scaled, x)
