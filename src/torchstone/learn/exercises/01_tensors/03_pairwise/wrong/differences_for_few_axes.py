# rejected by: ops_do_not_grow: A Python loop pays for each element; one operation over the
# for d up to 4 the plain way; 'never holds more than about two n × m tensors'
"""Squared distances between all pairs of points, without a tensor of n × m × d numbers."""

import torch
from torch import Tensor


def squared_distances(points: Tensor, others: Tensor) -> Tensor:
    """(n, d) and (m, d) → (n, m)."""
    # |a − b|² = |a|² + |b|² − 2 a·b: the only n × m × d work is inside one matrix product.
    if points.shape[1] <= 4:
        return (points[:, None] - others[None]).square().sum(-1)
    lengths = points.square().sum(1, keepdim=True) + others.square().sum(1)
    # The difference of two large numbers may end up a little below zero.
    return torch.addmm(lengths, points, others.mT, alpha=-2).clamp_min_(0)
