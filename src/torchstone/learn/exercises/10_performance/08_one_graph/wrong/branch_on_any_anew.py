# rejected by: nothing_breaks_the_graph: The host must know a value
# asks whether any row is too loud, a branch on a tensor's value that breaks the graph; breaks 'not a single graph
# break'
"""Limit the loudest value of each row, in one graph for all shapes."""

import torch
from torch import Tensor


def squash(x: Tensor, limit: float) -> Tensor:
    """(rows, n): rows whose largest absolute value is above `limit` are scaled down to it."""
    wide = x.float() if x.dtype.itemsize == 2 else x
    loudest = wide.abs().amax(dim=1, keepdim=True)
    if not (loudest > limit).any():
        return x
    ceiling = torch.ones_like(loudest) * limit
    factor = torch.where(loudest > ceiling, torch.div(ceiling, loudest), torch.ones_like(loudest))
    return (wide * factor).to(x.dtype)
