# earns: solved
# by transposing, unbinding, and places of True in the flat table
"""Pick parts of a table."""

import torch
from torch import Tensor


def first_row(table: Tensor) -> Tensor:
    """The first row, as it is: an example."""
    return table[0]


def last_column(table: Tensor) -> Tensor:
    """The last number of each row."""
    return table.T[-1]


def every_other_row(table: Tensor) -> Tensor:
    """The rows 0, 2, 4, …"""
    return torch.stack(table.unbind(0)[::2])


def without_border(table: Tensor) -> Tensor:
    """Everything but the first and last row and the first and last column."""
    return table[1:-1].T[1:-1].T


def chosen_rows(table: Tensor, rows: Tensor) -> Tensor:
    """The named rows, in that order."""
    return table.take_along_dim(rows.long()[:, None], 0)


def above(table: Tensor, limit: float) -> Tensor:
    """The numbers larger than `limit`, in one row."""
    flat = table.reshape(-1)
    return flat[(flat > limit).nonzero().squeeze(1)]
