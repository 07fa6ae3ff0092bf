# rejected by: sums_are_right: The sum of a tensor is a tensor with one number
# add_up([1, 2, 3]) returns the int 6; 'returns the sum ... as a Python float'
"""A tensor from a list, and its sum."""

import torch
from torch import Tensor


def make_tensor(numbers: list) -> Tensor:
    """The numbers as a float32 tensor."""
    return torch.tensor(numbers, dtype=torch.float32)


def add_up(numbers: list) -> float:
    """The sum of the numbers, as a Python number."""
    return torch.tensor(numbers).sum().item()
