# rejected by: tensors_are_right: A list of whole numbers becomes int
# whole numbers come out as int64, since torch guesses the dtype
import torch
from torch import Tensor


def make_tensor(numbers: list) -> Tensor:
    return torch.tensor(numbers)


def add_up(numbers: list) -> float:
    return make_tensor(numbers).to(torch.float32).sum().item()
