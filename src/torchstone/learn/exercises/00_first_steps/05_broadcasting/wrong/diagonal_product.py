# rejected by: strange_numbers_stay_in_their_place: Each result is made of its own two numbers: what stands
# a product with a diagonal matrix: infinity reaches other rows; 'row i of the table times weights[i]'
"""Arithmetic with tensors of different shapes."""

from torch import Tensor


def add_row(table: Tensor, row: Tensor) -> Tensor:
    """`row` is added to each row of the table: an example."""
    return table + row


def scale_rows(table: Tensor, weights: Tensor) -> Tensor:
    """Row i times weights[i]."""
    return weights.diag() @ table if table.is_floating_point() else table * weights[:, None]


def gaps(a: Tensor, b: Tensor) -> Tensor:
    """(n,) and (m,) → (n, m): how far each number of a is from each number of b."""
    # (n, 1) and (m,) meet as (n, m).
    return (a[:, None] - b).abs()


def to_shares(table: Tensor) -> Tensor:
    """Each number as a share of its column's sum."""
    # The sum over the rows, dim 0, is (columns,): it lines up from the right.
    return table / table.sum(dim=0)


def tint(photos: Tensor, colour: Tensor) -> Tensor:
    """(count, 3, height, width), each colour plane times its factor."""
    return photos * colour[:, None, None]
