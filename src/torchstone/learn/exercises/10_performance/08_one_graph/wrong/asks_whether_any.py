# rejected by: nothing_breaks_the_graph: The host must know a value
# "not a single graph break": a branch asks for a tensor's value
"""Limit the loudest value of each row, in one graph for all shapes."""

import torch
from torch import Tensor


def squash(x: Tensor, limit: float) -> Tensor:
    """(rows, n): rows whose largest absolute value is above `limit` are scaled down to it."""
    loudest = x.abs().amax(1, keepdim=True)
    if not (loudest > limit).any():
        return x
    return x * (limit / loudest).clamp(max=1)
