# earns: solved
# the old FloatTensor, and a sum in float64
import torch
from torch import Tensor


def make_tensor(numbers: list) -> Tensor:
    """FloatTensor is float32 by its name."""
    return torch.FloatTensor(numbers)


def add_up(numbers: list) -> float:
    return torch.sum(make_tensor(numbers), dtype=torch.float64).tolist()
