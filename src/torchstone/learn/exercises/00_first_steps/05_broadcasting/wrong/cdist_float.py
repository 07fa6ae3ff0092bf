# rejected by: gaps_are_right: (n, 1) and (m,) meet as (n, m).
# goes through float32, so large whole numbers and float64 lose digits; 'The inputs of a call have one dtype, floats
# or whole numbers'
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
    return torch.cdist(a[:, None].float(), b[:, None].float(), p=1).to(a.dtype)


def to_shares(table: Tensor) -> Tensor:
    """Each number as a share of its column's sum."""
    return table / table.sum(0)


def tint(photos: Tensor, colour: Tensor) -> Tensor:
    """(count, 3, height, width), each colour plane times its factor."""
    return photos * colour[:, None, None]
