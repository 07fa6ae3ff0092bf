# earns: solved lean
# one matrix product of augmented points, moved to a common centre first
"""Squared distances between all pairs of points, without a tensor of n × m × d numbers."""

import torch
from torch import Tensor


def squared_distances(points: Tensor, others: Tensor) -> Tensor:
    """(n, d) and (m, d) → (n, m)."""
    centre = others.sum(0) / max(len(others), 1)
    a, b = points - centre, others - centre
    left = torch.cat([a * -2, a.square().sum(1, keepdim=True), torch.ones_like(a.sum(1, keepdim=True))], dim=1)
    right = torch.cat([b, torch.ones_like(b.sum(1, keepdim=True)), b.square().sum(1, keepdim=True)], dim=1)
    result = left @ right.T
    return result.clamp_(min=0)
