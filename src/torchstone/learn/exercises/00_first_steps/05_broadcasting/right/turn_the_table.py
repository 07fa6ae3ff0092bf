# earns: solved lean
# transposes or moves the axis to the right, then broadcasts without None
"""Arithmetic with tensors of different shapes."""

from torch import Tensor


def add_row(table: Tensor, row: Tensor) -> Tensor:
    """`row` is added to each row of the table: an example."""
    return table + row


def scale_rows(table: Tensor, weights: Tensor) -> Tensor:
    """Row i times weights[i]."""
    return (table.T * weights).T


def gaps(a: Tensor, b: Tensor) -> Tensor:
    """(n,) and (m,) → (n, m): how far each number of a is from each number of b."""
    return (b - a.unsqueeze(-1)).abs()


def to_shares(table: Tensor) -> Tensor:
    """Each number as a share of its column's sum."""
    return (table.T / table.T.sum(1, keepdim=True)).T


def tint(photos: Tensor, colour: Tensor) -> Tensor:
    """(count, 3, height, width), each colour plane times its factor."""
    return (photos.movedim(1, -1) * colour).movedim(-1, 1)
