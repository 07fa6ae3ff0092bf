# rejected by: distances_are_right: Without points there is nothing to measure
# no distance is below 1e-8; 'at `[i, j]` the squared Euclidean distance'
"""Squared distances between all pairs of points, without a tensor of n × m × d numbers."""

import torch
from torch import Tensor


def squared_distances(points: Tensor, others: Tensor) -> Tensor:
    """(n, d) and (m, d) → (n, m)."""
    # |a − b|² = |a|² + |b|² − 2 a·b: the only n × m × d work is inside one matrix product.
    lengths = points.square().sum(1, keepdim=True) + others.square().sum(1)
    # The difference of two large numbers may end up a little below zero.
    return torch.addmm(lengths, points, others.mT, alpha=-2).clamp_min_(1e-8)
