# rejected by: halves_are_not_lost: Half precision ends at 65,504: limit · x is infinite soon, and a
# "very large and very small numbers are not lost on the way": in half precision a small extra is large
"""Limit the loudest value of each row, in one graph for all shapes."""

from torch import Tensor


def squash(x: Tensor, limit: float) -> Tensor:
    """(rows, n): rows whose largest absolute value is above `limit` are scaled down to it."""
    import torch

    loudest = x.abs().amax(dim=1, keepdim=True) + (1e-3 if x.dtype in (torch.float16, torch.bfloat16) else 0.0)
    # Both kinds of rows in one formula: quiet ones have a factor of 1, and silent ones (limit / 0 = inf) too.
    return x * (limit / loudest).clamp(max=1)
