# rejected by: a_tensor_adds: Let the tensor do the adding: make_tensor(numbers).sum() is one
# Python adds up the sums of parts of a hundred; 'Let the tensor add, not Python'
"""A tensor from a list, and its sum."""

import torch
from torch import Tensor


def make_tensor(numbers: list) -> Tensor:
    """The numbers as a float32 tensor."""
    # Without dtype= a list of whole numbers would become int64.
    return torch.tensor(numbers, dtype=torch.float32)


def add_up(numbers: list) -> float:
    """The sum of the numbers, as a Python number."""
    # sum() gives a tensor with a single number in it; item() takes the number out.
    return sum((part.sum().item() for part in make_tensor(numbers).flatten().split(100)), 0.0)
