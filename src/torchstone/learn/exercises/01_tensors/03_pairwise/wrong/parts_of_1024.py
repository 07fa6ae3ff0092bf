# rejected by: ops_do_not_grow: A Python loop pays for each element; one operation over the
# a loop over parts of 1024 points; 'no Python loop (as many ops at any size)'
"""Squared distances between all pairs of points, without a tensor of n × m × d numbers."""

import torch
from torch import Tensor


def squared_distances(points: Tensor, others: Tensor) -> Tensor:
    """(n, d) and (m, d) → (n, m)."""
    result = points.new_empty(len(points), len(others))
    lengths = others.square().sum(1)
    for begin in range(0, len(points), 1024):
        some = points[begin : begin + 1024]
        rows = result[begin : begin + 1024]
        torch.mm(some, others.T, out=rows)
        rows.mul_(-2).add_(some.square().sum(1)[:, None]).add_(lengths).clamp_(min=0)
    return result
