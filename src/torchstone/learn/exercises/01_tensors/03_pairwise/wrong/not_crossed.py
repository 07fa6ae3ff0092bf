# rejected by: distances_are_right: one of the two must be a column
"""Squared distances between all pairs of points, without a tensor of n × m × d numbers."""

from torch import Tensor


def squared_distances(points: Tensor, others: Tensor) -> Tensor:
    """(n, d) and (m, d) → (n, m)."""
    lengths = points.square().sum(1) + others.square().sum(1)
    return (lengths - 2 * points @ others.mT).clamp(min=0)
