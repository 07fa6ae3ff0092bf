# earns: solved lean
# where on the factor: 1 for quiet rows
"""Limit the loudest value of each row, in one graph for all shapes."""

import torch
from torch import Tensor


def squash(x: Tensor, limit: float) -> Tensor:
    loudest = torch.amax(torch.abs(x), dim=-1, keepdim=True)
    factor = torch.where(loudest > limit, limit / loudest, torch.ones_like(loudest))
    return x * factor
