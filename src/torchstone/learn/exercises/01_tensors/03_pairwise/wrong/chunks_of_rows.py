# rejected by: ops_do_not_grow: A Python loop pays for each element; one operation over the
# a loop over chunks of 256 rows, more ops for more points; 'no Python loop (as many ops at any size)'
"""Squared distances between all pairs of points, without a tensor of n × m × d numbers."""

import torch
from torch import Tensor


def squared_distances(points: Tensor, others: Tensor) -> Tensor:
    """(n, d) and (m, d) → (n, m)."""
    centre = others.sum(0) / max(len(others), 1)
    a, b = points - centre, others - centre
    left = torch.cat([a * -2, a.square().sum(1, keepdim=True), torch.ones_like(a.sum(1, keepdim=True))], dim=1)
    right = torch.cat([b, torch.ones_like(b.sum(1, keepdim=True)), b.square().sum(1, keepdim=True)], dim=1)
    result = points.new_empty(len(points), len(others))
    for start in range(0, len(points), 256):
        result[start : start + 256] = (left[start : start + 256] @ right.T).clamp_(min=0)
    return result
