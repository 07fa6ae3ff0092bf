# earns: solved lean
# einsum for the norms, everything else in place in the product
"""Squared distances between all pairs of points, without a tensor of n × m × d numbers."""

import torch
from torch import Tensor


def squared_distances(points: Tensor, others: Tensor) -> Tensor:
    """(n, d) and (m, d) → (n, m)."""
    result = torch.einsum("id,jd->ij", points, others)
    result.mul_(-2)
    result.add_(torch.einsum("id,id->i", points, points)[:, None])
    result.add_(torch.einsum("jd,jd->j", others, others)[None, :])
    return result.clamp_(min=0)
