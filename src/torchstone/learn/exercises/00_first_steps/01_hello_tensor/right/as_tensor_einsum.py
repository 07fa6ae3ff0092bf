# earns: solved
# as_tensor and a cast, the sum by einsum
"""A tensor from a list, and its sum."""

import torch
from torch import Tensor


def make_tensor(numbers: list) -> Tensor:
    """The numbers as a float32 tensor."""
    return torch.as_tensor(numbers).to(torch.float32)


def add_up(numbers: list) -> float:
    """The sum of the numbers, as a Python number."""
    return float(torch.einsum("i->", make_tensor(numbers).reshape(-1)))
