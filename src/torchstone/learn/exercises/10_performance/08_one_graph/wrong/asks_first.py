# rejected by: nothing_breaks_the_graph: let the device decide
"""Limit the loudest value of each row, in one graph for all shapes."""

from torch import Tensor


def squash(x: Tensor, limit: float) -> Tensor:
    """(rows, n): rows whose largest absolute value is above `limit` are scaled down to it."""
    loudest = x.abs().amax(dim=1, keepdim=True)
    if not (loudest > limit).any():
        return x * 1.0
    return x * (limit / loudest).clamp(max=1)
