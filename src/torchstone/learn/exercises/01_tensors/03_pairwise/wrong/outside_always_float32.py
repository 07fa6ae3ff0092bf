# rejected by: distances_are_right: |a − b|² = |a|² + |b|² − 2 a·b
# "right ... in float32 and float64": computes and returns float32 only
"""Squared distances between all pairs of points, without a tensor of n × m × d numbers."""

import torch
from torch import Tensor


def squared_distances(points: Tensor, others: Tensor) -> Tensor:
    """(n, d) and (m, d) → (n, m)."""
    a, b = points.float(), others.float()
    result = torch.zeros(len(a), len(b))
    result += a.square().sum(1, keepdim=True)
    result += b.square().sum(1)
    return result.addmm_(a, b.T, alpha=-2).clamp_(min=0)
