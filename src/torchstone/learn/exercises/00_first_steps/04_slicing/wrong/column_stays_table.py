# rejected by: last_columns_are_right: A range keeps its axis: (rows
# last_column is (rows, 1) and not (rows,)
import torch
from torch import Tensor


def first_row(table: Tensor) -> Tensor:
    return table[0]


def last_column(table: Tensor) -> Tensor:
    return table[:, -1:]


def every_other_row(table: Tensor) -> Tensor:
    return table[::2]


def without_border(table: Tensor) -> Tensor:
    return table[1:-1, 1:-1]


def chosen_rows(table: Tensor, rows: Tensor) -> Tensor:
    return table[rows]


def above(table: Tensor, limit: float) -> Tensor:
    return table[table > limit]
