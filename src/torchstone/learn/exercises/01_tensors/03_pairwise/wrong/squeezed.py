# rejected by: distances_are_right: |a − b|² = |a|² + |b|² − 2 a·b
# "returns (n, m)": squeeze takes axes of size 1 away
import torch
from torch import Tensor


def squared_distances(points: Tensor, others: Tensor) -> Tensor:

    squares = points.square().sum(1, keepdim=True) + others.square().sum(1)
    return squares.addmm_(points, others.T, alpha=-2).clamp_(min=0).squeeze()
