# earns: solved
# named methods: select, narrow, index_select, masked_select
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
    return table.index_select(0, torch.arange(0, len(table), 2, device=table.device))


def without_border(table: Tensor) -> Tensor:
    """Everything but the first and last row and the first and last column."""
    height, width = table.shape
    return table.narrow(0, 1, height - 2).narrow(1, 1, width - 2)


def chosen_rows(table: Tensor, rows: Tensor) -> Tensor:
    """The named rows, in that order."""
    return torch.index_select(table, 0, rows)


def above(table: Tensor, limit: float) -> Tensor:
    """The numbers larger than `limit`, in one row."""
    return torch.masked_select(table, torch.gt(table, limit))
