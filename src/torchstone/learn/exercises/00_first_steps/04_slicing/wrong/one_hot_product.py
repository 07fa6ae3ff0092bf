# rejected by: close_numbers_are_told_apart: NaN is not larger than anything
# rows picked by a product with zeros and ones: 0 · inf makes NaN of the other rows' numbers, and a bool table
# raises; 'right numbers for tables of every size, dtype'
"""Pick parts of a table."""

import torch
from torch import Tensor
from torch.nn import functional


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
    return functional.one_hot(rows.long(), len(table)).to(table.dtype) @ table


def above(table: Tensor, limit: float) -> Tensor:
    """The numbers larger than `limit`, in one row."""
    return table[table > limit]
