# rejected by: few_compilations: A graph is compiled again when its assumptions fail
# right results in one graph, but the loop over rows is unrolled, one graph for each number of rows; breaks 'at most
# two compilations over five shapes with five limits'
"""Limit the loudest value of each row, in one graph for all shapes."""

import torch
from torch import Tensor


def squash(x: Tensor, limit: float) -> Tensor:
    """(rows, n): rows whose largest absolute value is above `limit` are scaled down to it."""
    rows = []
    for row in x.unbind(0):
        wide = row.float() if row.dtype.itemsize == 2 else row
        loudest = wide.abs().amax()
        ceiling = torch.ones_like(loudest) * limit
        rows.append((wide * torch.where(loudest > ceiling, ceiling / loudest, 1.0)).to(x.dtype))
    return torch.stack(rows)
