# rejected by: nothing_breaks_the_graph: The host must know a value, or print
# whether any row is too loud is asked in Python, a graph break
"""Limit the loudest value of each row, in one graph for all shapes."""

import torch
from torch import Tensor


def squash(x: Tensor, limit: float) -> Tensor:
    """(rows, n): rows whose largest absolute value is above `limit` are scaled down to it."""
    loudest = x.abs().amax(1, keepdim=True)
    factor = torch.full_like(loudest, limit) / loudest
    if not (loudest > limit).any():
        return x
    return torch.where(loudest > limit, x * factor, x)
