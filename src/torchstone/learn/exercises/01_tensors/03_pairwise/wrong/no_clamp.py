# rejected by: never_negative: Two large numbers cancel and leave an error of either sign
# "A squared distance is never negative, not even by a rounding error": plain expansion goes below 0
"""Squared distances between all pairs of points, without a tensor of n × m × d numbers."""

import torch
from torch import Tensor


def squared_distances(points: Tensor, others: Tensor) -> Tensor:
    """(n, d) and (m, d) → (n, m)."""
    return points.square().sum(1)[:, None] + others.square().sum(1) - 2 * points @ others.T
