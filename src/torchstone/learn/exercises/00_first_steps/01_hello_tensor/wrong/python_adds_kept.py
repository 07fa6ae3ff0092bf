# rejected by: a_tensor_adds: tensor(numbers).sum() is one call, however long the list
# Python adds the numbers, not the tensor
import torch
from torch import Tensor


def make_tensor(numbers: list) -> Tensor:
    return torch.tensor(numbers, dtype=torch.float32)


def add_up(numbers: list) -> float:
    return float(sum(make_tensor(numbers).flatten().tolist()))
