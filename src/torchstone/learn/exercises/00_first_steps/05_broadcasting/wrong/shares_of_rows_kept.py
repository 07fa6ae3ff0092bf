# rejected by: shares_are_right: now: dim names the axis that is summed
# to_shares divides by the sum of the row
import torch
from torch import Tensor


def add_row(table: Tensor, row: Tensor) -> Tensor:
    return table + row


def scale_rows(table: Tensor, weights: Tensor) -> Tensor:
    return table * weights[:, None]


def gaps(a: Tensor, b: Tensor) -> Tensor:
    return (a[:, None] - b[None, :]).abs()


def to_shares(table: Tensor) -> Tensor:
    return table / table.sum(dim=1, keepdim=True)


def tint(photos: Tensor, colour: Tensor) -> Tensor:
    return photos * colour[:, None, None]
