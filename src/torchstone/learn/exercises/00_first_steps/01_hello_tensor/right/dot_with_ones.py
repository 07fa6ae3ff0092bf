# earns: solved
# asarray, and a dot product with ones as the sum
"""A tensor from a list, and its sum."""

import torch
from torch import Tensor


def make_tensor(numbers: list) -> Tensor:
    """The numbers as a float32 tensor."""
    return torch.asarray(numbers, dtype=torch.float32)


def add_up(numbers: list) -> float:
    """The sum of the numbers, as a Python number."""
    flat = make_tensor(numbers).reshape(-1)
    return float(flat.dot(torch.ones_like(flat)))
