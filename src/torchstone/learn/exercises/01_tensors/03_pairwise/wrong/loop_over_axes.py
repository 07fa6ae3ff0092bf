# rejected by: ops_do_not_grow: A Python loop pays for each element; one operation over the
# a Python loop over the d axes; promised: "Lean: no Python loop (as many ops at any size)"
"""Squared distances between all pairs of points, without a tensor of n × m × d numbers."""

import torch
from torch import Tensor


def squared_distances(points: Tensor, others: Tensor) -> Tensor:
    """(n, d) and (m, d) → (n, m)."""
    result = points.new_zeros(len(points), len(others))
    for mine, theirs in zip(points.unbind(1), others.unbind(1)):
        result += (mine[:, None] - theirs).square_()
    return result
