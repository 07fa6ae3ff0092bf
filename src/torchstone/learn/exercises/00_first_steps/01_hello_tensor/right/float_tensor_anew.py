# earns: solved
# the old FloatTensor constructor, and torch.sum with a dtype
"""A tensor from a list, and its sum."""

import torch
from torch import Tensor


def make_tensor(numbers: list) -> Tensor:
    """The numbers as a float32 tensor."""
    return torch.FloatTensor(numbers)


def add_up(numbers: list) -> float:
    """The sum of the numbers, as a Python number."""
    return float(torch.sum(make_tensor(numbers), dtype=torch.float64))
