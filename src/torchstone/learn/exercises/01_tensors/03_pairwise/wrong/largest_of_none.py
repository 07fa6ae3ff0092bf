# rejected by: distances_are_right: Without points there is nothing to measure: (n, 0).
# scales by the largest number, which no points do not have; 'right for every size'
"""Squared distances between all pairs of points, without a tensor of n × m × d numbers."""

import torch
from torch import Tensor


def squared_distances(points: Tensor, others: Tensor) -> Tensor:
    """(n, d) and (m, d) → (n, m)."""
    size = torch.maximum(points.abs().amax(), others.abs().amax()).clamp(min=1e-6)
    points, others = points / size, others / size
    lengths = points.square().sum(1)[:, None] + others.square().sum(1)
    return lengths.addmm_(points, others.T, alpha=-2).clamp_(min=0).mul_(size * size)
