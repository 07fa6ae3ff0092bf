# rejected by: no_number_is_lost: x / loudest is
# divides by the loudest first and multiplies by the limit then: 1e-30 in a row with 1e20 (float32, limit 1e19) is 0
# on the way; breaks 'very small numbers are not lost on the way'
"""Limit the loudest value of each row, in one graph for all shapes."""

import torch
from torch import Tensor


def squash(x: Tensor, limit: float) -> Tensor:
    """(rows, n): rows whose largest absolute value is above `limit` are scaled down to it."""
    wide = x.float() if x.dtype.itemsize == 2 else x
    loudest = wide.abs().amax(dim=1, keepdim=True)
    ceiling = torch.ones_like(loudest) * limit
    return torch.where(loudest > ceiling, wide / loudest * ceiling, wide).to(x.dtype)
