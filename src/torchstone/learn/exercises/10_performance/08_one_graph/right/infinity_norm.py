# earns: solved lean
# vector_norm of order inf, and a factor that torch.where puts to 1
"""Limit the loudest value of each row, in one graph for all shapes."""

import torch
from torch import Tensor


def squash(x: Tensor, limit: float) -> Tensor:
    """(rows, n): rows whose largest absolute value is above `limit` are scaled down to it."""
    loudest = torch.linalg.vector_norm(x, ord=float("inf"), dim=1, keepdim=True)
    loud = loudest > limit
    factor = torch.where(loud, limit / loudest, torch.ones_like(loudest))
    return torch.where(loud, x * factor, x)
