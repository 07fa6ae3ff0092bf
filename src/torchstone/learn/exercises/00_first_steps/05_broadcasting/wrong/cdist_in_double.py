# rejected by: whole_numbers_stay_whole: Whole numbers in, whole numbers out
# whole numbers are compared as float64, which rounds beyond 2**53; 'floats or int64'
import torch
from torch import Tensor


def add_row(table: Tensor, row: Tensor) -> Tensor:
    return torch.add(table, row)


def scale_rows(table: Tensor, weights: Tensor) -> Tensor:
    return torch.mul(table, weights.view(-1, 1))


def gaps(a: Tensor, b: Tensor) -> Tensor:
    left, right = a.double().view(-1, 1), b.double().view(-1, 1)
    return torch.cdist(left, right, p=1).to(a.dtype)


def to_shares(table: Tensor) -> Tensor:
    return torch.div(table, table.sum(0, keepdim=True))


def tint(photos: Tensor, colour: Tensor) -> Tensor:
    return torch.mul(photos, colour.view(-1, 1, 1))
