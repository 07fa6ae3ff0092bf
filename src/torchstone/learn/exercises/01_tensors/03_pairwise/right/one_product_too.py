# earns: solved lean
# one matrix product of points and others with two columns more each, then relu
"""Squared distances between all pairs of points, without a tensor of n × m × d numbers."""

import torch
from torch import Tensor


def squared_distances(points: Tensor, others: Tensor) -> Tensor:
    """(n, d) and (m, d) → (n, m)."""
    half_points = torch.einsum("nd,nd->n", points, points).mul(0.5).unsqueeze(1)
    half_others = torch.einsum("md,md->m", others, others).mul(0.5).unsqueeze(1)
    left = torch.cat([points, half_points, torch.ones_like(half_points)], dim=1)
    right = torch.cat([-others, torch.ones_like(half_others), half_others], dim=1)
    return torch.relu_(torch.mm(left, right.t())).mul_(2)
