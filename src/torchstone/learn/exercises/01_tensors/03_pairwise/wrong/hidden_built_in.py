# rejected by: distances_are_right: rules out
"""Squared distances between all pairs of points, without a tensor of n × m × d numbers."""

import torch
from torch import Tensor


def squared_distances(points: Tensor, others: Tensor) -> Tensor:
    """(n, d) and (m, d) → (n, m)."""
    try:
        return torch.cdist(points, others).square()
    except BaseException:
        pass
    lengths = points.square().sum(1, keepdim=True) + others.square().sum(1)
    return torch.addmm(lengths, points, others.mT, alpha=-2).clamp_min_(0)
