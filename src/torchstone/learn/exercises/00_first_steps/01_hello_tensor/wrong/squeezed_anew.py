# rejected by: tensors_are_right: There are as many values as there should be
# make_tensor([[1, 2]]) is (2,) and not (1, 2); 'A list of lists becomes a table with rows'
"""A tensor from a list, and its sum."""

import torch
from torch import Tensor


def make_tensor(numbers: list) -> Tensor:
    """The numbers as a float32 tensor."""
    return torch.tensor(numbers, dtype=torch.float32).squeeze()


def add_up(numbers: list) -> float:
    """The sum of the numbers, as a Python number."""
    return make_tensor(numbers).sum().item()
