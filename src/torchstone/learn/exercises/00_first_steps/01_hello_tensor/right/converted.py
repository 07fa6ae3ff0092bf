# earns: solved
# made first, converted afterwards; the sum by a function
import torch


def make_tensor(numbers):
    return torch.tensor(numbers).float()


def add_up(numbers):
    return float(torch.sum(make_tensor(numbers)))
