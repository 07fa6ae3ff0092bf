# rejected by: distances_are_right: These are the distances
# "at `[i, j]` the squared Euclidean distance": the distance, not its square
"""Squared distances between all pairs of points, without a tensor of n × m × d numbers."""

import torch
from torch import Tensor


def squared_distances(points: Tensor, others: Tensor) -> Tensor:
    """(n, d) and (m, d) → (n, m)."""
    mine = points.square().sum(1) / 2
    theirs = others.square().sum(1) / 2
    result = torch.addmm(theirs[None], points, others.T, alpha=-1)
    result += mine[:, None]
    return result.clamp_(min=0).mul_(2).sqrt_()
