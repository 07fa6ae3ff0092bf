# earns: solved lean
# turn the axes so that the small one is last, and turn back
import torch
from torch import Tensor


def add_row(table: Tensor, row: Tensor) -> Tensor:
    return torch.add(row, table)


def scale_rows(table: Tensor, weights: Tensor) -> Tensor:
    return (table.T * weights).T


def gaps(a: Tensor, b: Tensor) -> Tensor:
    column = a.reshape(-1, 1)
    return torch.maximum(column, b) - torch.minimum(column, b)


def to_shares(table: Tensor) -> Tensor:
    turned = table.T
    return (turned / turned.sum(dim=1, keepdim=True)).T


def tint(photos: Tensor, colour: Tensor) -> Tensor:
    return (photos.movedim(1, -1) * colour).movedim(-1, 1)
