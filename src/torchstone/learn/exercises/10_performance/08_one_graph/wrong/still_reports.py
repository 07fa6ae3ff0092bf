# rejected by: nothing_breaks_the_graph: The host must know a value
# 'not a single graph break': the report is still printed
"""Limit the loudest value of each row, in one graph for all shapes."""

import torch
from torch import Tensor


def squash(x: Tensor, limit: float) -> Tensor:
    loudest = x.abs().amax(1, keepdim=True)
    print(f"{int((loudest > limit).sum())} rows are too loud")
    return torch.where(loudest > limit, x * (limit / loudest), x)
