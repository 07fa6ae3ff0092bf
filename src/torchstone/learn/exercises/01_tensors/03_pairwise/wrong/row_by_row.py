# rejected by: distances_are_right: Without points there is nothing to measure
"""Squared distances between all pairs of points, without a tensor of n × m × d numbers."""

import torch
from torch import Tensor


def squared_distances(points: Tensor, others: Tensor) -> Tensor:
    """(n, d) and (m, d) → (n, m)."""
    return torch.stack([(point - others).square().sum(1) for point in points])
