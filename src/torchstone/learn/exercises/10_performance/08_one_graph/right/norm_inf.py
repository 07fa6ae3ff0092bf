# earns: solved lean
# the maximum norm of linalg, rows chosen by where
"""Limit the loudest value of each row, in one graph for all shapes."""

import torch
from torch import Tensor


def squash(x: Tensor, limit: float) -> Tensor:
    loudest = torch.linalg.vector_norm(x, ord=float("inf"), dim=1).unsqueeze(1)
    scaled = x * (limit / loudest)
    return torch.where(loudest.gt(limit), scaled, x)
