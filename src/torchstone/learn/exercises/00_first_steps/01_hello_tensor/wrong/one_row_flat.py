# rejected by: tensors_are_right: There are as many values as there should be, with other axes:
# a table with a single row loses its axis of rows; 'A list of lists becomes a table with rows.'
"""A tensor from a list, and its sum."""

import torch
from torch import Tensor


def make_tensor(numbers: list) -> Tensor:
    """The numbers as a float32 tensor."""
    if numbers and isinstance(numbers[0], list):
        return torch.stack([torch.tensor(row, dtype=torch.float32) for row in numbers]).squeeze(0)
    return torch.tensor(numbers, dtype=torch.float32)


def add_up(numbers: list) -> float:
    """The sum of the numbers, as a Python number."""
    return make_tensor(numbers).sum().item()
