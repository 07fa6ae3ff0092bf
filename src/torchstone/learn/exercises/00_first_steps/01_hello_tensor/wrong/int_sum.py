# rejected by: sums_are_right: The sum of a tensor is a tensor with one number; .item()
# a whole sum comes back as an int; 'returns the sum of such a list as a Python `float`'
"""A tensor from a list, and its sum."""

import torch
from torch import Tensor


def make_tensor(numbers: list) -> Tensor:
    """The numbers as a float32 tensor."""
    return torch.asarray(numbers, dtype=torch.float32)


def add_up(numbers: list) -> float:
    """The sum of the numbers, as a Python number."""
    total = torch.sum(make_tensor(numbers)).item()
    return int(total) if total.is_integer() else total
