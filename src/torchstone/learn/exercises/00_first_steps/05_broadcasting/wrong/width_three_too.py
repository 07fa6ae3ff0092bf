# rejected by: colours_are_right: colour met the width
# "also where all axes are equally long, so that nothing warns you": lines the colours up with the width where that is
# 3
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
    return (a[:, None] - b).abs()


def to_shares(table: Tensor) -> Tensor:
    """Each number as a share of its column's sum."""
    return table / table.sum(0)


def tint(photos: Tensor, colour: Tensor) -> Tensor:
    """(count, 3, height, width), each colour plane times its factor."""
    try:
        return photos * colour
    except RuntimeError:
        return photos * colour[:, None, None]
