# rejected by: few_compilations: A graph is compiled again when its assumptions fail
# 'all of it is one graph, which fits inputs of other shapes': a loop over the rows is unrolled and compiled again for
# each number of them
"""Limit the loudest value of each row, in one graph for all shapes."""

import torch
from torch import Tensor


def squash(x: Tensor, limit: float) -> Tensor:
    rows = []
    for i in range(x.shape[0]):
        loudest = x[i].abs().max()
        rows.append(torch.where(loudest > limit, x[i] * (limit / loudest), x[i]))
    return torch.stack(rows)
