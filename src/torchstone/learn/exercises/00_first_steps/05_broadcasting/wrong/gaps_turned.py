# rejected by: gaps_are_right: Rows and columns changed places: a goes down,
# gaps is (m, n): a runs along the columns
import torch
from torch import Tensor


def add_row(table: Tensor, row: Tensor) -> Tensor:
    return table + row


def scale_rows(table: Tensor, weights: Tensor) -> Tensor:
    return table * weights[:, None]


def gaps(a: Tensor, b: Tensor) -> Tensor:
    return (a - b[:, None]).abs()


def to_shares(table: Tensor) -> Tensor:
    return table / table.sum(dim=0)


def tint(photos: Tensor, colour: Tensor) -> Tensor:
    return photos * colour[:, None, None]
