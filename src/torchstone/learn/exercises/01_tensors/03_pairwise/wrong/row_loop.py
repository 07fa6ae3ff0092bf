# rejected by: ops_do_not_grow: A Python loop pays for each element
# (lean): "no Python loop (as many ops at any size)": one op for each point
"""Squared distances between all pairs of points, without a tensor of n × m × d numbers."""

import torch
from torch import Tensor


def squared_distances(points: Tensor, others: Tensor) -> Tensor:
    """(n, d) and (m, d) → (n, m)."""
    result = points.new_empty(len(points), len(others))
    for i, point in enumerate(points):
        result[i] = (others - point).square().sum(1)
    return result
