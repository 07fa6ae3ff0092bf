# rejected by: the_dtype_is_always_float32: torch's default dtype was torch.float64: always means
# the dtype follows torch's default, which may be float64; 'Its type (its *dtype*) is always `torch.float32`, even
# if every number in the list is whole.'
"""A tensor from a list, and its sum."""

import torch
from torch import Tensor


def make_tensor(numbers: list) -> Tensor:
    """The numbers as a float32 tensor."""
    return torch.tensor(numbers, dtype=torch.get_default_dtype())


def add_up(numbers: list) -> float:
    """The sum of the numbers, as a Python number."""
    return make_tensor(numbers).sum().item()
