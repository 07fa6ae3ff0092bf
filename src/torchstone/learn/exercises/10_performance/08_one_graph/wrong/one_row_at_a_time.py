# rejected by: few_compilations: a loop over rows fixes their number
"""Limit the loudest value of each row, in one graph for all shapes."""

import torch
from torch import Tensor


def squash(x: Tensor, limit: float) -> Tensor:
    """(rows, n): rows whose largest absolute value is above `limit` are scaled down to it."""
    loudest = x.abs().amax(dim=1, keepdim=True)
    rows = [row * (limit / peak).clamp(max=1) for row, peak in zip(x, loudest, strict=True)]
    return torch.stack(rows)
