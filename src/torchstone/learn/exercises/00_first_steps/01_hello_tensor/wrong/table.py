# rejected by: sums_are_right: RuntimeError
# "the sum of all numbers in such a list, or list of lists": a list of lists raises an error, because dot wants one
# axis
"""A tensor from a list, and its sum."""

import torch
from torch import Tensor


def make_tensor(numbers: list) -> Tensor:
    """The numbers as a float32 tensor."""
    return torch.tensor(numbers, dtype=torch.float32)


def add_up(numbers: list) -> float:
    """The sum of the numbers, as a Python number."""
    row = make_tensor(numbers)
    return torch.dot(row, torch.ones_like(row)).item()
