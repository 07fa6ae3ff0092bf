# earns: solved
# through a NumPy array, the sum by a scalar accumulator tensor
"""A tensor from a list, and its sum."""

import numpy as np
import torch
from torch import Tensor


def make_tensor(numbers: list) -> Tensor:
    """The numbers as a float32 tensor."""
    return torch.from_numpy(np.array(numbers, dtype=np.float32))


def add_up(numbers: list) -> float:
    """The sum of the numbers, as a Python number."""
    return make_tensor(numbers).ravel().sum(dim=0, keepdim=True).item()
