# earns: solved
# torch.asarray, and the sum as a dot product with ones
"""A tensor from a list, and its sum."""

import torch
from torch import Tensor


def make_tensor(numbers: list) -> Tensor:
    """The numbers as a float32 tensor."""
    return torch.asarray(numbers, dtype=torch.float32)


def add_up(numbers: list) -> float:
    """The sum of the numbers, as a Python number."""
    flat = make_tensor(numbers).reshape(-1)
    return torch.dot(flat, torch.ones_like(flat)).tolist()
