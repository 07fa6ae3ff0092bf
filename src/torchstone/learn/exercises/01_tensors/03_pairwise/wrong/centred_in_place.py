# rejected by: distances_are_right: The caller still needs what it handed in
# "takes (n, d) and (m, d) and returns (n, m)": the caller's points are shifted in place
import torch
from torch import Tensor


def squared_distances(points: Tensor, others: Tensor) -> Tensor:

    if len(others):
        middle = others.mean(0)
        points -= middle
        others -= middle
    squares = points.square().sum(1, keepdim=True) + others.square().sum(1)
    return squares.addmm_(points, others.T, alpha=-2).clamp_(min=0)
