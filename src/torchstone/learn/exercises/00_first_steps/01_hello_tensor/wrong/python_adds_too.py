# rejected by: a_tensor_adds: Let the tensor do the adding
# "Let the tensor add, not Python": Python adds the numbers
"""A tensor from a list, and its sum."""

import torch
from torch import Tensor


def make_tensor(numbers: list) -> Tensor:
    """The numbers as a float32 tensor."""
    return torch.tensor(numbers, dtype=torch.float32)


def add_up(numbers: list) -> float:
    """The sum of the numbers, as a Python number."""
    return float(sum(make_tensor(numbers).flatten().tolist()))
