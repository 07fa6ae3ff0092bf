# rejected by: sums_are_right: An index points past the end
# "An empty list has the sum 0": an empty list raises an IndexError
"""A tensor from a list, and its sum."""

import torch
from torch import Tensor


def make_tensor(numbers: list) -> Tensor:
    """The numbers as a float32 tensor."""
    return torch.tensor(numbers, dtype=torch.float32)


def add_up(numbers: list) -> float:
    """The sum of the numbers, as a Python number."""
    return make_tensor(numbers).flatten().cumsum(0)[-1].item()
