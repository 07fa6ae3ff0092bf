# rejected by: shares_are_right: Each number is divided by the sum of its own column
# normalize divides by the sum of absolute values: the column (3, -1) gives (0.75, -0.25); 'each number divided by
# the sum of its column'
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
    return (a[:, None] - b).abs()


def to_shares(table: Tensor) -> Tensor:
    """Each number as a share of its column's sum."""
    return functional.normalize(table, p=1, dim=0)


def tint(photos: Tensor, colour: Tensor) -> Tensor:
    """(count, 3, height, width), each colour plane times its factor."""
    return photos * colour[:, None, None]
