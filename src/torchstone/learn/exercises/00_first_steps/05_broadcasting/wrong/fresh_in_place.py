# rejected by: rows_are_scaled: The caller still needs what it handed in, as it was: work on
# scale_rows multiplies the given table in place; 'The inputs stay as they are'
"""Arithmetic with tensors of different shapes."""

import torch
from torch import Tensor


def add_row(table: Tensor, row: Tensor) -> Tensor:
    """`row` is added to each row of the table: an example."""
    return row.expand_as(table) + table


def scale_rows(table: Tensor, weights: Tensor) -> Tensor:
    """Row i times weights[i]."""
    return table.mul_(weights[:, None])


def gaps(a: Tensor, b: Tensor) -> Tensor:
    """(n,) and (m,) → (n, m): how far each number of a is from each number of b."""
    return torch.sub(a.unsqueeze(1), b.unsqueeze(0)).abs()


def to_shares(table: Tensor) -> Tensor:
    """Each number as a share of its column's sum."""
    return table / table.sum(dim=0, keepdim=True)


def tint(photos: Tensor, colour: Tensor) -> Tensor:
    """(count, 3, height, width), each colour plane times its factor."""
    return (photos.movedim(1, -1) * colour).movedim(-1, 1)
