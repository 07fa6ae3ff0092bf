# earns: solved lean
# einsum, larger minus smaller, transposes and views
"""Arithmetic with tensors of different shapes."""

import torch
from torch import Tensor


def add_row(table: Tensor, row: Tensor) -> Tensor:
    """`row` is added to each row of the table: an example."""
    return torch.add(row.expand_as(table), table)


def scale_rows(table: Tensor, weights: Tensor) -> Tensor:
    """Row i times weights[i]."""
    return (table.mT * weights).mT


def gaps(a: Tensor, b: Tensor) -> Tensor:
    """(n,) and (m,) → (n, m): how far each number of a is from each number of b."""
    down = a.unsqueeze(-1)
    return torch.maximum(down, b) - torch.minimum(down, b)


def to_shares(table: Tensor) -> Tensor:
    """Each number as a share of its column's sum."""
    return torch.div(table, torch.einsum("rc->c", table))


def tint(photos: Tensor, colour: Tensor) -> Tensor:
    """(count, 3, height, width), each colour plane times its factor."""
    return (photos.movedim(1, -1) * colour).movedim(-1, 1)
