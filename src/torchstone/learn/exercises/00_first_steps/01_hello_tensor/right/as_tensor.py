# earns: solved
# as_tensor, and tolist to take the number out
import torch


def make_tensor(numbers):
    return torch.as_tensor(numbers, dtype=torch.float)


def add_up(numbers):
    total = torch.as_tensor(numbers, dtype=torch.float64).flatten().sum()
    return total.tolist()
