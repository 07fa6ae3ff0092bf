# earns: solved lean
# divides by how many times a row is too loud, torch.where over the rows
"""Limit the loudest value of each row, in one graph for all shapes."""

import torch
from torch import Tensor


def squash(x: Tensor, limit: float) -> Tensor:
    """(rows, n): rows whose largest absolute value is above `limit` are scaled down to it."""
    wide = x if x.dtype in (torch.float32, torch.float64) else x.to(torch.float32)
    highest, lowest = wide.max(dim=1, keepdim=True).values, wide.min(dim=1, keepdim=True).values
    loudest = torch.maximum(highest, -lowest)
    times_too_loud = loudest / limit
    return torch.where(loudest > limit, wide / times_too_loud, wide).to(x.dtype)
