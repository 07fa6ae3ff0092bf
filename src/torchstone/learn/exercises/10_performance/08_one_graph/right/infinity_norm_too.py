# earns: solved lean
# the infinity norm as the loudest value, and a factor of 1 for quiet rows
"""Limit the loudest value of each row, in one graph for all shapes."""

import torch
from torch import Tensor


def squash(x: Tensor, limit: float) -> Tensor:
    """(rows, n): rows whose largest absolute value is above `limit` are scaled down to it."""
    loudest = torch.linalg.vector_norm(x, ord=float("inf"), dim=-1, keepdim=True)
    factor = torch.where(loudest.gt(limit), limit / loudest, 1.0)
    return torch.mul(x, factor)
