# rejected by: tensors_are_right: There are as many values as there should be, with other axes:
# a table of one row loses its row, [5] its axis; 'A list of lists becomes a table with rows', 'right values, shape'
"""A tensor from a list, and its sum."""

import torch
from torch import Tensor


def make_tensor(numbers: list) -> Tensor:
    """The numbers as a float32 tensor."""
    return torch.asarray(numbers, dtype=torch.float32).squeeze()


def add_up(numbers: list) -> float:
    """The sum of the numbers, as a Python number."""
    return float(torch.sum(make_tensor(numbers)))
