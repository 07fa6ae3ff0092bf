# rejected by: sums_are_right: RuntimeError
# add_up([[1, 2], [3, 4]]) raises, because the sum goes over the rows only; 'or list of lists'
"""A tensor from a list, and its sum."""

import torch
from torch import Tensor


def make_tensor(numbers: list) -> Tensor:
    """The numbers as a float32 tensor."""
    return torch.tensor(numbers, dtype=torch.float32)


def add_up(numbers: list) -> float:
    """The sum of the numbers, as a Python number."""
    return make_tensor(numbers).sum(dim=0).item()
