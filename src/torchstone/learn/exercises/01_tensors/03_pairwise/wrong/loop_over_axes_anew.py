# rejected by: ops_do_not_grow: A Python loop pays for each element
# right and lean in memory, but a Python loop over d; 'no Python loop (as many ops at any size)'
"""Squared distances between all pairs of points, without a tensor of n × m × d numbers."""

import torch
from torch import Tensor


def squared_distances(points: Tensor, others: Tensor) -> Tensor:
    """(n, d) and (m, d) → (n, m)."""
    result = points.new_zeros(len(points), len(others))
    for axis in range(points.shape[1]):
        result += (points[:, axis, None] - others[:, axis]).square_()
    return result
