# rejected by: distances_are_right: Without points there is nothing to measure
# the largest number is asked for to avoid overflow, and max() of nothing raises; '(n, m or d may be 0)' (points of
# shape (0, 3))
"""Squared distances between all pairs of points, without a tensor of n × m × d numbers."""

import torch
from torch import Tensor


def squared_distances(points: Tensor, others: Tensor) -> Tensor:
    """(n, d) and (m, d) → (n, m)."""
    scale = torch.maximum(points.abs().max(), others.abs().max()).clamp(min=1)
    points, others = points / scale, others / scale
    result = torch.addmm(others.square().sum(1), points, others.T, alpha=-2)
    result += points.square().sum(1)[:, None]
    return result.clamp_(min=0).mul_(scale).mul_(scale)
