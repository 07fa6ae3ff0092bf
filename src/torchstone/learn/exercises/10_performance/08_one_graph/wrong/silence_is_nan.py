# rejected by: silent_rows_stay_silent: 0 · inf is NaN
"""Limit the loudest value of each row, in one graph for all shapes."""

from torch import Tensor


def squash(x: Tensor, limit: float) -> Tensor:
    """(rows, n): rows whose largest absolute value is above `limit` are scaled down to it."""
    loudest = x.abs().amax(dim=1, keepdim=True)
    return (x * limit / loudest).where(loudest > limit, x * (loudest / loudest))
