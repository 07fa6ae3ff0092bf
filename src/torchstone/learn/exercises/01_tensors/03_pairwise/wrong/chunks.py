# rejected by: ops_do_not_grow: one operation over the whole tensor does the
# a Python loop over chunks of 64 points, so more ops for more points
import torch
from torch import Tensor


def squared_distances(points: Tensor, others: Tensor) -> Tensor:
    result = points.new_empty(len(points), len(others))
    theirs = others.square().sum(dim=1)
    for start in range(0, len(points), 64):
        chunk = points[start : start + 64]
        part = chunk.square().sum(dim=1, keepdim=True) + theirs - 2 * chunk @ others.T
        result[start : start + 64] = part.clamp(min=0)
    return result
