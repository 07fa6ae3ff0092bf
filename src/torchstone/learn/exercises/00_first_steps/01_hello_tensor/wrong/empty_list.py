# rejected by: tensors_are_right: RuntimeError
# add_up([]) raises, since torch.stack wants a tensor or more; 'An empty list has the sum 0'
"""A tensor from a list, and its sum."""

import torch
from torch import Tensor


def make_tensor(numbers: list) -> Tensor:
    """The numbers as a float32 tensor."""
    return torch.stack([torch.tensor(number, dtype=torch.float32) for number in numbers])


def add_up(numbers: list) -> float:
    """The sum of the numbers, as a Python number."""
    return make_tensor(numbers).sum().item()
