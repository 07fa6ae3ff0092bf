# rejected by: a_tensor_adds: Let the tensor do the adding
"""A tensor from a list, and its sum."""

import torch
from torch import Tensor


def make_tensor(numbers: list) -> Tensor:
    """The numbers as a float32 tensor."""
    return torch.tensor(numbers, dtype=torch.float32)


def add_up(numbers: list) -> float:
    """The sum of the numbers, as a Python number."""
    total = 0.0
    for number in make_tensor(numbers).flatten():
        total = total + number.sum().item()
    return total
