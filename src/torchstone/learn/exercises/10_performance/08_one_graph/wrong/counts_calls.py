# rejected by: few_compilations: a global counter
"""Limit the loudest value of each row, in one graph for all shapes."""

from torch import Tensor

calls = 0


def squash(x: Tensor, limit: float) -> Tensor:
    """(rows, n): rows whose largest absolute value is above `limit` are scaled down to it."""
    global calls
    calls += 1
    loudest = x.abs().amax(dim=1, keepdim=True)
    return x * (limit / loudest).clamp(max=1)
