# rejected by: ops_do_not_grow: A Python loop pays for each element; one operation over the
# a loop over parts of d; 'no Python loop (as many ops at any size)'
"""Squared distances between all pairs of points, without a tensor of n × m × d numbers."""

import torch
from torch import Tensor


def squared_distances(points: Tensor, others: Tensor) -> Tensor:
    """(n, d) and (m, d) → (n, m)."""
    # |a − b|² = |a|² + |b|² − 2 a·b: the only n × m × d work is inside one matrix product.
    lengths = points.square().sum(1, keepdim=True) + others.square().sum(1)
    # The difference of two large numbers may end up a little below zero.
    for a, b in zip(points.split(2048, 1), others.split(2048, 1), strict=True):
        lengths = torch.addmm(lengths, a, b.mT, alpha=-2)
    return lengths.clamp_min_(0)
