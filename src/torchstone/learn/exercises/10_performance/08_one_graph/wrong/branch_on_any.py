# rejected by: nothing_breaks_the_graph: The host must know a value
# 'not a single graph break': `if (...).any()` asks a tensor for its value
"""Limit the loudest value of each row, in one graph for all shapes."""

import torch
from torch import Tensor


def squash(x: Tensor, limit: float) -> Tensor:
    loudest = x.abs().amax(1, keepdim=True)
    if (loudest > limit).any():
        return torch.where(loudest > limit, x * (limit / loudest), x)
    return x.clone()
