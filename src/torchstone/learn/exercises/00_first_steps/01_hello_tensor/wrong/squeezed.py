# rejected by: tensors_are_right: There are as many values as there should be, with other axes
# "A list of lists becomes a table with rows": a table with one row or one column loses that axis
"""A tensor from a list, and its sum."""

import torch
from torch import Tensor


def make_tensor(numbers: list) -> Tensor:
    """The numbers as a float32 tensor."""
    tensor = torch.tensor(numbers, dtype=torch.float32)
    return tensor.squeeze() if tensor.dim() > 1 else tensor


def add_up(numbers: list) -> float:
    """The sum of the numbers, as a Python number."""
    return make_tensor(numbers).sum().item()
