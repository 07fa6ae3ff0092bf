# rejected by: the_dtype_is_always_float32: torch's default dtype was torch.float64: always means
# follows torch's default dtype, so float64 after set_default_dtype(float64); 'Its type (its *dtype*) is always
# `torch.float32`'
"""A tensor from a list, and its sum."""

import torch
from torch import Tensor


def make_tensor(numbers: list) -> Tensor:
    """The numbers as a float32 tensor."""
    return torch.tensor(numbers) * 1.0


def add_up(numbers: list) -> float:
    """The sum of the numbers, as a Python number."""
    return make_tensor(numbers).sum().item()
