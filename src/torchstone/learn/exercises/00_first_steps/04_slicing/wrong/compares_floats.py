# rejected by: every_dtype_is_kept: Every number comes back as it is, in the table's own dtype.
# compares in float32, so close float64 and large whole numbers are lost; 'all numbers of the table that are larger
# than `limit`'
"""Pick parts of a table."""

import torch
from torch import Tensor


def first_row(table: Tensor) -> Tensor:
    """The first row, as it is: an example."""
    return table.select(0, 0)


def last_column(table: Tensor) -> Tensor:
    """The last number of each row."""
    return table.select(1, table.shape[1] - 1)


def every_other_row(table: Tensor) -> Tensor:
    """The rows 0, 2, 4, …"""
    return table[::2]


def without_border(table: Tensor) -> Tensor:
    """Everything but the first and last row and the first and last column."""
    rows, columns = table.shape
    return table.narrow(0, 1, rows - 2).narrow(1, 1, columns - 2)


def chosen_rows(table: Tensor, rows: Tensor) -> Tensor:
    """The named rows, in that order."""
    return table.index_select(0, rows)


def above(table: Tensor, limit: float) -> Tensor:
    """The numbers larger than `limit`, in one row."""
    return torch.masked_select(table, table.float() > limit)
