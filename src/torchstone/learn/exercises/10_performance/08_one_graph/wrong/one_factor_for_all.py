# rejected by: results_are_right: Each row has a loudest value of its own
# 'other rows stay as they are': the loudest value of the whole tensor decides about all rows
"""Limit the loudest value of each row, in one graph for all shapes."""

import torch
from torch import Tensor


def squash(x: Tensor, limit: float) -> Tensor:
    loudest = x.abs().amax()
    return x * (limit / loudest).clamp(max=1.0)
