# rejected by: nothing_breaks_the_graph: print
"""Limit the loudest value of each row, in one graph for all shapes."""

from torch import Tensor


def squash(x: Tensor, limit: float) -> Tensor:
    """(rows, n): rows whose largest absolute value is above `limit` are scaled down to it."""
    loudest = x.abs().amax(dim=1, keepdim=True)
    print(f"loudest value {loudest.max().item():.2f}")
    return x * (limit / loudest).clamp(max=1)
