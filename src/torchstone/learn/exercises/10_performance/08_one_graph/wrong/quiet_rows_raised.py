# rejected by: results_are_right: Quiet rows were made louder
# "other rows stay as they are": quiet rows are scaled up to the limit
"""Limit the loudest value of each row, in one graph for all shapes."""

import torch
from torch import Tensor


def squash(x: Tensor, limit: float) -> Tensor:
    """(rows, n): rows whose largest absolute value is above `limit` are scaled down to it."""
    loudest = x.abs().amax(1, keepdim=True)
    return x * torch.where(loudest > 0, limit / loudest, 1)
