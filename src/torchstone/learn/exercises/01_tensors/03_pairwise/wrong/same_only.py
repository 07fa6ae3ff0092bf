# rejected by: never_negative: Two large numbers cancel and leave an error of either sign
# "A squared distance is never negative, not even by a rounding error": negative where two sets share points but are
# not one tensor
"""Squared distances between all pairs of points, without a tensor of n × m × d numbers."""

import torch
from torch import Tensor


def squared_distances(points: Tensor, others: Tensor) -> Tensor:
    """(n, d) and (m, d) → (n, m)."""
    mine = points.square().sum(1) / 2
    theirs = others.square().sum(1) / 2
    result = torch.addmm(theirs[None], points, others.T, alpha=-1)
    result += mine[:, None]
    if points is others:
        result.clamp_(min=0)
    return result.mul_(2)
