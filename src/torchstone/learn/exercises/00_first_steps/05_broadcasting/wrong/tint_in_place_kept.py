# rejected by: colours_are_right: The caller still needs what it handed in,
# tint changes the photographs that it was given
import torch
from torch import Tensor


def add_row(table: Tensor, row: Tensor) -> Tensor:
    return table + row


def scale_rows(table: Tensor, weights: Tensor) -> Tensor:
    return table * weights[:, None]


def gaps(a: Tensor, b: Tensor) -> Tensor:
    return (a[:, None] - b[None, :]).abs()


def to_shares(table: Tensor) -> Tensor:
    return table / table.sum(dim=0)


def tint(photos: Tensor, colour: Tensor) -> Tensor:
    return photos.mul_(colour.view(3, 1, 1))
