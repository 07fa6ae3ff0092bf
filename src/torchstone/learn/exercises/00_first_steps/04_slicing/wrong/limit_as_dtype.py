# rejected by: large_numbers_are_found: the result of above has the shape [
# the limit is cast to the table's dtype first: int table [[-2]] with limit -2.5 gives nothing; 'as `table > limit`
# compares them'
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
    return table[::2]


def without_border(table: Tensor) -> Tensor:
    """Everything but the first and last row and the first and last column."""
    return table[1:-1, 1:-1]


def chosen_rows(table: Tensor, rows: Tensor) -> Tensor:
    """The named rows, in that order."""
    return table[rows]


def above(table: Tensor, limit: float) -> Tensor:
    """The numbers larger than `limit`, in one row."""
    return table[table > table.new_tensor(limit)]
