# earns: solved
# as_tensor and a conversion; the sum in float64 over the flattened tensor
"""A tensor from a list, and its sum."""

import torch
from torch import Tensor


def make_tensor(numbers: list) -> Tensor:
    """The numbers as a float32 tensor."""
    return torch.as_tensor(numbers).to(torch.float32)


def add_up(numbers: list) -> float:
    """The sum of the numbers, as a Python number."""
    return float(torch.sum(make_tensor(numbers).flatten(), dim=0, dtype=torch.float64))
