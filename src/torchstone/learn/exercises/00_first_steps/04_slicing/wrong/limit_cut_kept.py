# rejected by: large_numbers_are_found: the result of above has the shape
# the limit is cut to the dtype of the table first: -2 is not above -2.5 among whole numbers
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
    return table[table > torch.tensor(limit).to(table)]
