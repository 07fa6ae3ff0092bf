# rejected by: few_compilations: A graph is compiled again when its assumptions fail: a loop
# the loop is unrolled into the graph, which then holds for one number of rows; 'at most two compilations over five
# shapes with five limits'
"""Limit the loudest value of each row, in one graph for all shapes."""

import torch
from torch import Tensor


def squash(x: Tensor, limit: float) -> Tensor:
    """(rows, n): rows whose largest absolute value is above `limit` are scaled down to it."""
    return torch.stack([row * (limit / row.abs().max().clamp(min=limit)) for row in x.unbind()])
