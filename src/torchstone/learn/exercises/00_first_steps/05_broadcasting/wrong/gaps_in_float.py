# rejected by: gaps_are_right: (n, 1) and (m,) meet as (n, m).
# "`|a[i] − b[j]|`' with inputs of 'floats or int64": distances go through float32, so large int64 (and float64) are
# rounded
"""Arithmetic with tensors of different shapes."""

from torch import Tensor


def add_row(table: Tensor, row: Tensor) -> Tensor:
    """`row` is added to each row of the table: an example."""
    return table + row


def scale_rows(table: Tensor, weights: Tensor) -> Tensor:
    """Row i times weights[i]."""
    return table * weights[:, None]


def gaps(a: Tensor, b: Tensor) -> Tensor:
    """(n,) and (m,) → (n, m): how far each number of a is from each number of b."""
    return (a[:, None].float() - b.float()).abs().to(a.dtype)


def to_shares(table: Tensor) -> Tensor:
    """Each number as a share of its column's sum."""
    return table / table.sum(0)


def tint(photos: Tensor, colour: Tensor) -> Tensor:
    """(count, 3, height, width), each colour plane times its factor."""
    return photos * colour[:, None, None]
