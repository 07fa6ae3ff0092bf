# earns: solved
# torch.asarray, and a dot product with ones
import torch
from torch import Tensor


def make_tensor(numbers: list) -> Tensor:
    return torch.asarray(numbers, dtype=torch.float32)


def add_up(numbers: list) -> float:
    flat = make_tensor(numbers).flatten()
    return float(torch.dot(flat, torch.ones_like(flat)))
