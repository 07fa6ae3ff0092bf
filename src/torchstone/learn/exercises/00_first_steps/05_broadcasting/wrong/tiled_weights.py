# rejected by: rows_are_scaled: Shapes line up from the right
# the weights are tiled and not repeated one by one: a 2 × 3 table gets w0 w1 w0 / w1 w0 w1; 'row i of the table
# times weights[i]'
"""Arithmetic with tensors of different shapes."""

import torch
from torch import Tensor
from torch.nn import functional


def add_row(table: Tensor, row: Tensor) -> Tensor:
    """`row` is added to each row of the table: an example."""
    return table + row


def scale_rows(table: Tensor, weights: Tensor) -> Tensor:
    """Row i times weights[i]."""
    return table * weights.repeat(table.shape[1]).reshape(table.shape)


def gaps(a: Tensor, b: Tensor) -> Tensor:
    """(n,) and (m,) → (n, m): how far each number of a is from each number of b."""
    return (a[:, None] - b).abs()


def to_shares(table: Tensor) -> Tensor:
    """Each number as a share of its column's sum."""
    return table / table.sum(0)


def tint(photos: Tensor, colour: Tensor) -> Tensor:
    """(count, 3, height, width), each colour plane times its factor."""
    return photos * colour[:, None, None]
