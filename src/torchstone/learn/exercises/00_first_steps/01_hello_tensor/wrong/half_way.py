# rejected by: tensors_are_right: the result of make_tensor is
# the numbers go through float16; 'right values, shape and dtype'
"""A tensor from a list, and its sum."""

import torch
from torch import Tensor


def make_tensor(numbers: list) -> Tensor:
    """The numbers as a float32 tensor."""
    # Without dtype= a list of whole numbers would become int64.
    return torch.tensor(numbers, dtype=torch.float16).float()


def add_up(numbers: list) -> float:
    """The sum of the numbers, as a Python number."""
    # sum() gives a tensor with a single number in it; item() takes the number out.
    return make_tensor(numbers).sum().item()
