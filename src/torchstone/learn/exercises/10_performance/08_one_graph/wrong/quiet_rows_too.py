# rejected by: results_are_right: Quiet rows were made louder: the factor is
# quieter rows are scaled up to the limit, too
"""Limit the loudest value of each row, in one graph for all shapes."""

import torch
from torch import Tensor


def squash(x: Tensor, limit: float) -> Tensor:
    """(rows, n): rows whose largest absolute value is above `limit` are scaled down to it."""
    loudest = x.abs().amax(1, keepdim=True)
    factor = torch.full_like(loudest, limit) / loudest
    return x * factor
