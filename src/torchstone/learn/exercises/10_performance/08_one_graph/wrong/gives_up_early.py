# rejected by: few_compilations: A graph is compiled again when its assumptions fail
# tells torch to give up after one graph: the loop holds for one number of rows, and the others run as plain code
"""Limit the loudest value of each row, in one graph for all shapes."""

import torch
import torch._dynamo
from torch import Tensor

torch._dynamo.config.recompile_limit = 1


def squash(x: Tensor, limit: float) -> Tensor:
    """(rows, n): rows whose largest absolute value is above `limit` are scaled down to it."""
    return torch.stack([row * (limit / row.abs().max().clamp(min=limit)) for row in x.unbind()])
