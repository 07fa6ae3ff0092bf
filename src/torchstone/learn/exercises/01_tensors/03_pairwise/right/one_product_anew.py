# earns: solved lean
# two columns more on both sides, so that one matrix product is all of it
"""Squared distances between all pairs of points, without a tensor of n × m × d numbers."""

import torch
from torch import Tensor


def squared_distances(points: Tensor, others: Tensor) -> Tensor:
    """(n, d) and (m, d) → (n, m)."""
    own = torch.einsum("nd,nd->n", points, points).unsqueeze(1)
    theirs = torch.einsum("md,md->m", others, others).unsqueeze(1)
    left = torch.cat([points * -2, own, torch.ones_like(own)], dim=1)
    right = torch.cat([others, torch.ones_like(theirs), theirs], dim=1)
    return torch.relu_(left @ right.T)
