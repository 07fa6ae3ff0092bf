# rejected by: tensors_are_right: A list of whole numbers becomes int64 by itself
# "Its type (its dtype) is always torch.float32, even if every number in the list is whole": whole numbers become
# int64
"""A tensor from a list, and its sum."""

import torch
from torch import Tensor


def make_tensor(numbers: list) -> Tensor:
    """The numbers as a float32 tensor."""
    return torch.tensor(numbers)


def add_up(numbers: list) -> float:
    """The sum of the numbers, as a Python number."""
    return make_tensor(numbers).float().sum().item()
