# rejected by: distances_are_right: |a − b|² = |a|² + |b|² −
# where n = m the squared lengths are lined up with the wrong axis; at [i, j] stands |p_j|² + |o_i|² − 2 p_i·o_j;
# 'at [i, j] the squared distance between points[i] and others[j]' (two sets of 3 points)
"""Squared distances between all pairs of points, without a tensor of n × m × d numbers."""

import torch
from torch import Tensor


def squared_distances(points: Tensor, others: Tensor) -> Tensor:
    """(n, d) and (m, d) → (n, m)."""
    lengths = points.square().sum(1)
    other_lengths = others.square().sum(1)
    if len(points) == len(others):
        lengths, other_lengths = other_lengths, lengths
    result = torch.addmm(other_lengths, points, others.T, alpha=-2)
    result += lengths[:, None]
    return result.clamp_(min=0)
