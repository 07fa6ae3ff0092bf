# rejected by: silent_rows_stay_silent: limit / 0 is infinite and 0 · inf is NaN: clamp first
# 'other rows stay as they are': a row of zeros is divided by 0 and becomes NaN
"""Limit the loudest value of each row, in one graph for all shapes."""

import torch
from torch import Tensor


def squash(x: Tensor, limit: float) -> Tensor:
    loudest = x.abs().amax(1, keepdim=True)
    return x / loudest * loudest.clamp(max=limit)
