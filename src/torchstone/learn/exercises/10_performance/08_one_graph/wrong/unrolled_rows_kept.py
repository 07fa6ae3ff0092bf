# rejected by: few_compilations: A graph is compiled again when its assumptions
# a Python loop over the rows is unrolled into the graph, which holds for this number of rows only
"""Limit the loudest value of each row, in one graph for all shapes."""

import torch
from torch import Tensor


def squash(x: Tensor, limit: float) -> Tensor:
    """(rows, n): rows whose largest absolute value is above `limit` are scaled down to it."""
    rows = []
    for row in x.unbind(0):
        loudest = row.abs().amax()
        rows.append(torch.where(loudest > limit, row * (torch.full_like(loudest, limit) / loudest), row))
    return torch.stack(rows)
