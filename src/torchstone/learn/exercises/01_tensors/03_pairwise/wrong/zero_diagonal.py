# rejected by: never_negative_anywhere: Clamp every result, in every dtype and of every shape:
# only the diagonal is set to 0, others may be below; 'never negative, not even by a rounding error'
"""Squared distances between all pairs of points, without a tensor of n × m × d numbers."""

import torch
from torch import Tensor


def squared_distances(points: Tensor, others: Tensor) -> Tensor:
    """(n, d) and (m, d) → (n, m)."""
    # |a − b|² = |a|² + |b|² − 2 a·b: the only n × m × d work is inside one matrix product.
    lengths = points.square().sum(1, keepdim=True) + others.square().sum(1)
    # The difference of two large numbers may end up a little below zero.
    result = torch.addmm(lengths, points, others.mT, alpha=-2)
    if len(points) == len(others):
        result.clamp_min_(0)
    return result
