# earns: solved lean
"""Limit the loudest value of each row, in one graph for all shapes."""

import torch
from torch import Tensor


def squash(x: Tensor, limit: float) -> Tensor:
    low, high = torch.aminmax(x, dim=1, keepdim=True)
    loudest = torch.maximum(high, -low)
    excess = loudest / limit
    return torch.where((loudest <= limit).expand_as(x), x, x / excess)
