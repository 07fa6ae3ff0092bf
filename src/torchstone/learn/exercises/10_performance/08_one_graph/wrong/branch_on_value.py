# rejected by: nothing_breaks_the_graph: The host must know a value, or print one, before it can go
# a branch on a tensor's value breaks the graph; 'not a single graph break'
"""Limit the loudest value of each row, in one graph for all shapes."""

import torch
from torch import Tensor


def squash(x: Tensor, limit: float) -> Tensor:
    """(rows, n): rows whose largest absolute value is above `limit` are scaled down to it."""
    loudest = torch.linalg.vector_norm(x, float("inf"), dim=1, keepdim=True)
    if not (loudest > limit).any():
        return x.clone()
    return x * (limit / loudest.clamp(min=limit))
