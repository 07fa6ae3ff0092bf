# rejected by: sums_are_right: The sum of a tensor is a tensor
# the sum is a tensor and not a Python float
import torch
from torch import Tensor


def make_tensor(numbers: list) -> Tensor:
    return torch.tensor(numbers, dtype=torch.float32)


def add_up(numbers: list) -> float:
    return make_tensor(numbers).sum()
