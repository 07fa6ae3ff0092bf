# rejected by: results_are_right: the result of squash is
# 'whose largest absolute value is above `limit`': negative peaks are not seen
"""Limit the loudest value of each row, in one graph for all shapes."""

import torch
from torch import Tensor


def squash(x: Tensor, limit: float) -> Tensor:
    loudest = x.amax(1, keepdim=True)
    return torch.where(loudest > limit, x * (limit / loudest), x)
