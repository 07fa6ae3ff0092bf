# rejected by: memory_stays_small: Somewhere n × m × d numbers live at once
# "Find a way that never holds more than about two n × m tensors": n × m × d numbers
"""Squared distances between all pairs of points, without a tensor of n × m × d numbers."""

import torch
from torch import Tensor


def squared_distances(points: Tensor, others: Tensor) -> Tensor:
    """(n, d) and (m, d) → (n, m)."""
    return (points[:, None] - others[None]).square().sum(2)
