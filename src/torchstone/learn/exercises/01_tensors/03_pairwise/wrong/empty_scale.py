# rejected by: distances_are_right: Without points there is nothing to measure
# "n, m or d may be 0": scaling by the largest number fails where there is none
"""Squared distances between all pairs of points, without a tensor of n × m × d numbers."""

import torch
from torch import Tensor


def squared_distances(points: Tensor, others: Tensor) -> Tensor:
    """(n, d) and (m, d) → (n, m)."""
    scale = torch.maximum(points.abs().max(), others.abs().max()).clamp(min=1e-12)
    points, others = points / scale, others / scale
    mine = points.square().sum(1) / 2
    theirs = others.square().sum(1) / 2
    result = torch.addmm(theirs[None], points, others.T, alpha=-1)
    result += mine[:, None]
    return result.clamp_(min=0).mul_(2).mul_(scale * scale)
