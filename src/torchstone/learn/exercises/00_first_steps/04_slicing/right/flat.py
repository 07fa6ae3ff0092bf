# earns: solved
# flat tables, transposes and nonzero
"""Pick parts of a table."""

import torch
from torch import Tensor


def first_row(table: Tensor) -> Tensor:
    """The first row, as it is: an example."""
    return next(iter(table))


def last_column(table: Tensor) -> Tensor:
    """The last number of each row."""
    return table.T[-1].clone()


def every_other_row(table: Tensor) -> Tensor:
    """The rows 0, 2, 4, …"""
    return torch.stack(table.unbind(0)[::2])


def without_border(table: Tensor) -> Tensor:
    """Everything but the first and last row and the first and last column."""
    rows, columns = table.shape
    middle = table.split([1, rows - 2, 1], dim=0)[1]
    return middle.split([1, columns - 2, 1], dim=1)[1]


def chosen_rows(table: Tensor, rows: Tensor) -> Tensor:
    """The named rows, in that order."""
    columns = table.shape[1]
    places = rows.long().unsqueeze(1) * columns + torch.arange(columns, device=table.device)
    return table.reshape(-1)[places]


def above(table: Tensor, limit: float) -> Tensor:
    """The numbers larger than `limit`, in one row."""
    row, column = torch.nonzero(table > limit, as_tuple=True)
    return table[row, column]
