# rejected by: large_numbers_are_found: the result of above
# "all numbers of the table that are larger than limit": in a whole-number table the limit -2.5 is cut to -2, so -2 is
# lost
"""Pick parts of a table."""

import torch
from torch import Tensor


def first_row(table: Tensor) -> Tensor:
    return table[0]


def last_column(table: Tensor) -> Tensor:
    return table[:, -1]


def every_other_row(table: Tensor) -> Tensor:
    return table[::2]


def without_border(table: Tensor) -> Tensor:
    return table[1:-1, 1:-1]


def chosen_rows(table: Tensor, rows: Tensor) -> Tensor:
    return table[rows]


def above(table: Tensor, limit: float) -> Tensor:
    return table[table > torch.tensor(limit, dtype=table.dtype, device=table.device)]
