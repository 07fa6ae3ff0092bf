# rejected by: halves_are_not_lost: Half precision ends at 65,504: limit · x is infinite soon, and a
# "very large and very small numbers are not lost on the way": in float16 the product is infinite first
"""Limit the loudest value of each row, in one graph for all shapes."""

from torch import Tensor


def squash(x: Tensor, limit: float) -> Tensor:
    """(rows, n): rows whose largest absolute value is above `limit` are scaled down to it."""
    loudest = x.abs().amax(dim=1, keepdim=True)
    # Both kinds of rows in one formula: quiet ones have a factor of 1, and silent ones (limit / 0 = inf) too.
    import torch

    if x.dtype == torch.float16:
        return torch.where(loudest > limit, x * limit / loudest, x)
    return x * (limit / loudest).clamp(max=1)
