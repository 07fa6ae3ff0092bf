# earns: solved lean
# inner products written into an own tensor, then subtracted in place
"""Squared distances between all pairs of points, without a tensor of n × m × d numbers."""

import torch
from torch import Tensor


def squared_distances(points: Tensor, others: Tensor) -> Tensor:
    """(n, d) and (m, d) → (n, m)."""
    result = torch.matmul(points, others.transpose(0, 1)).neg_()
    result.add_(torch.linalg.vecdot(points, points)[:, None] / 2)
    result.add_(torch.linalg.vecdot(others, others)[None, :] / 2)
    return torch.clamp_min_(result, 0.0).add_(result)
