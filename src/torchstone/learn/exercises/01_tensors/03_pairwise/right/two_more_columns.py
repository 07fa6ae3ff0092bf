# earns: solved lean
# one product of points with two more columns, moved to a common origin first
"""Squared distances between all pairs of points, without a tensor of n × m × d numbers."""

import torch
from torch import Tensor


def squared_distances(points: Tensor, others: Tensor) -> Tensor:
    """(n, d) and (m, d) → (n, m)."""
    origin = others.mean(0)
    points, others = points - origin, others - origin
    left = torch.cat([points, (points * points).sum(1, keepdim=True), points.new_ones(len(points), 1)], dim=1)
    right = torch.cat([others * -2, others.new_ones(len(others), 1), (others * others).sum(1, keepdim=True)], dim=1)
    return (left @ right.mT).relu_()
