# rejected by: few_compilations: A graph is compiled again when its assumptions fail
# "at most two compilations over five shapes with five limits": goes through the rows in Python, so each number of
# rows compiles anew
"""Limit the loudest value of each row, in one graph for all shapes."""

import torch
from torch import Tensor


def squash(x: Tensor, limit: float) -> Tensor:
    """(rows, n): rows whose largest absolute value is above `limit` are scaled down to it."""
    rows = []
    for row in x.unbind(0):
        loudest = row.abs().max()
        rows.append(torch.where(loudest > limit, row * (limit / loudest), row))
    return torch.stack(rows)
