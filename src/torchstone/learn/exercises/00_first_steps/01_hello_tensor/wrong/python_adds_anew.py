# rejected by: a_tensor_adds: Let the tensor do the adding
# the tensor is only a detour, Python's sum adds; 'Let the tensor add, not Python' (any list)
"""A tensor from a list, and its sum."""

import torch
from torch import Tensor


def make_tensor(numbers: list) -> Tensor:
    """The numbers as a float32 tensor."""
    return torch.tensor(numbers, dtype=torch.float32)


def add_up(numbers: list) -> float:
    """The sum of the numbers, as a Python number."""
    return float(sum(make_tensor(numbers).flatten().tolist()))
