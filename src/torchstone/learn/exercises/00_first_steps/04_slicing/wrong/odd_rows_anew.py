# rejected by: every_other_row_is_there: Those are the rows
# loses the last row where the number of rows is odd (5 rows: 0, 2 and not 4; one row: none); 'the rows 0, 2, 4, …'
"""Pick parts of a table."""

import torch
from torch import Tensor


def first_row(table: Tensor) -> Tensor:
    """The first row, as it is: an example."""
    return table[0]


def last_column(table: Tensor) -> Tensor:
    """The last number of each row."""
    return table[:, -1]


def every_other_row(table: Tensor) -> Tensor:
    """The rows 0, 2, 4, …"""
    return table[0 : len(table) - 1 : 2]


def without_border(table: Tensor) -> Tensor:
    """Everything but the first and last row and the first and last column."""
    return table[1:-1, 1:-1]


def chosen_rows(table: Tensor, rows: Tensor) -> Tensor:
    """The named rows, in that order."""
    return table[rows]


def above(table: Tensor, limit: float) -> Tensor:
    """The numbers larger than `limit`, in one row."""
    return table[table > limit]
