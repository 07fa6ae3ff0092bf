# earns: solved lean
# each as a vmap of the one-row function
"""Arithmetic with tensors of different shapes."""

import torch
from torch import Tensor


def add_row(table: Tensor, row: Tensor) -> Tensor:
    """`row` is added to each row of the table: an example."""
    return table + row


def scale_rows(table: Tensor, weights: Tensor) -> Tensor:
    """Row i times weights[i]."""
    return torch.vmap(torch.mul)(table, weights)


def gaps(a: Tensor, b: Tensor) -> Tensor:
    """(n,) and (m,) → (n, m): how far each number of a is from each number of b."""
    return torch.vmap(lambda number: (number - b).abs())(a)


def to_shares(table: Tensor) -> Tensor:
    """Each number as a share of its column's sum."""
    return torch.vmap(lambda column: column / column.sum(), in_dims=1, out_dims=1)(table)


def tint(photos: Tensor, colour: Tensor) -> Tensor:
    """(count, 3, height, width), each colour plane times its factor."""
    return torch.vmap(torch.mul, in_dims=(1, 0), out_dims=1)(photos, colour)
