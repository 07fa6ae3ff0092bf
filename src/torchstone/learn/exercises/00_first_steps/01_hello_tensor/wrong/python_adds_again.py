# rejected by: sums_are_right: TypeError: unsupported operand type(s) for +: 'int' and 'list'
# Python's sum adds the numbers that the tensor gives back; 'Let the tensor add, not Python.'
"""A tensor from a list, and its sum."""

import torch
from torch import Tensor


def make_tensor(numbers: list) -> Tensor:
    """The numbers as a float32 tensor."""
    return torch.tensor(numbers, dtype=torch.float32)


def add_up(numbers: list) -> float:
    """The sum of the numbers, as a Python number."""
    return float(sum(make_tensor(numbers).tolist()))
