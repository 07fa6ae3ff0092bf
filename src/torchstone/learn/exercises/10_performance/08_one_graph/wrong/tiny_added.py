# rejected by: no_number_is_lost or results_are_right
# adds 1e-12 below the line to be safe: a row with 2e-12 as its loudest and limit 1e-12 ends at 0.67e-12; breaks
# 'very small numbers are not lost on the way'
"""Limit the loudest value of each row, in one graph for all shapes."""

import torch
from torch import Tensor


def squash(x: Tensor, limit: float) -> Tensor:
    """(rows, n): rows whose largest absolute value is above `limit` are scaled down to it."""
    wide = x.float() if x.dtype.itemsize == 2 else x
    loudest = wide.abs().amax(dim=1, keepdim=True)
    ceiling = torch.ones_like(loudest) * limit
    factor = torch.where(loudest > ceiling, torch.div(ceiling, loudest + 1e-12), torch.ones_like(loudest))
    return (wide * factor).to(x.dtype)
