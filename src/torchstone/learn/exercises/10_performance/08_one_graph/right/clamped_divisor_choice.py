# earns: solved lean
# a clamped divisor instead of a choice
"""Limit the loudest value of each row, in one graph for all shapes."""

import torch
from torch import Tensor


def squash(x: Tensor, limit: float) -> Tensor:
    """(rows, n): rows whose largest absolute value is above `limit` are scaled down to it."""
    loudest = torch.linalg.vector_norm(x, float("inf"), dim=1, keepdim=True)
    return x * (limit / loudest.clamp(min=limit))
