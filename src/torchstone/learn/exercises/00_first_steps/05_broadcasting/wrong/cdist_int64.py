# rejected by: whole_numbers_stay_whole: Whole numbers in
# torch.cdist has no int64 (gaps of int64 raises); 'floats or int64'
"""Arithmetic with tensors of different shapes."""

import torch
from torch import Tensor
from torch.nn import functional


def add_row(table: Tensor, row: Tensor) -> Tensor:
    """`row` is added to each row of the table: an example."""
    return table + row


def scale_rows(table: Tensor, weights: Tensor) -> Tensor:
    """Row i times weights[i]."""
    return table * weights[:, None]


def gaps(a: Tensor, b: Tensor) -> Tensor:
    """(n,) and (m,) → (n, m): how far each number of a is from each number of b."""
    return torch.cdist(a[:, None], b[:, None], p=1)


def to_shares(table: Tensor) -> Tensor:
    """Each number as a share of its column's sum."""
    return table / table.sum(0)


def tint(photos: Tensor, colour: Tensor) -> Tensor:
    """(count, 3, height, width), each colour plane times its factor."""
    return photos * colour[:, None, None]
