# earns: solved lean
# the matrix product first, then everything in place
"""Squared distances between all pairs of points, without a tensor of n × m × d numbers."""

import torch
from torch import Tensor


def squared_distances(points: Tensor, others: Tensor) -> Tensor:
    """(n, d) and (m, d) → (n, m)."""
    result = torch.matmul(points, others.mT).mul_(-2)
    result.add_(torch.linalg.vecdot(points, points).unsqueeze(-1))
    result.add_(torch.linalg.vecdot(others, others))
    return result.clamp_min_(0)
