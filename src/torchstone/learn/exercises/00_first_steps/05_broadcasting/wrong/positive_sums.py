# rejected by: shares_are_right: Each number is divided by the sum of its own column
# "each number divided by the sum of its column": a sum below zero is replaced by a tiny positive number ("The sums
# are not 0" is all that is promised of them)
"""Arithmetic with tensors of different shapes."""

from torch import Tensor


def add_row(table: Tensor, row: Tensor) -> Tensor:
    return table + row


def scale_rows(table: Tensor, weights: Tensor) -> Tensor:
    return table * weights[:, None]


def gaps(a: Tensor, b: Tensor) -> Tensor:
    return (a[:, None] - b).abs()


def to_shares(table: Tensor) -> Tensor:
    return table / table.sum(0).clamp(min=1e-8)


def tint(photos: Tensor, colour: Tensor) -> Tensor:
    return photos * colour[:, None, None]
