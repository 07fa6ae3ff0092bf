# rejected by: few_compilations: A graph is compiled again when its assumptions fail
# 'every new value of a Python number compiles again': limits are looked up in a dictionary, so each becomes an
# assumption of its own graph
"""Limit the loudest value of each row, in one graph for all shapes."""

import torch
from torch import Tensor


_limits: dict[float, Tensor] = {}


def squash(x: Tensor, limit: float) -> Tensor:
    if limit not in _limits:
        _limits[limit] = torch.full((), limit)
    bound = _limits[limit].to(x)
    loudest = x.abs().amax(1, keepdim=True)
    return torch.where(loudest > bound, x * (bound / loudest), x)
