# rejected by: results_are_right: The caller still needs what it handed in
# 'squash(x, limit)' returns the rows: the caller's x is scaled in place
"""Limit the loudest value of each row, in one graph for all shapes."""

import torch
from torch import Tensor


def squash(x: Tensor, limit: float) -> Tensor:
    loudest = x.abs().amax(1, keepdim=True)
    return x.mul_((limit / loudest).clamp(max=1.0))
