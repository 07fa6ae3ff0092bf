# rejected by: close_numbers_are_told_apart: table > limit rounds the limit as the table's
# Python compares in double precision, so 0.3 in a float32 table passes the limit 0.3; 'as `table > limit` compares
# them'
import torch
from torch import Tensor


def first_row(table: Tensor) -> Tensor:
    return table[0]


def last_column(table: Tensor) -> Tensor:
    return table[:, table.shape[1] - 1]


def every_other_row(table: Tensor) -> Tensor:
    return table[0 : len(table) : 2]


def without_border(table: Tensor) -> Tensor:
    return table[1:-1, 1:-1]


def chosen_rows(table: Tensor, rows: Tensor) -> Tensor:
    return table[rows.long()]


def above(table: Tensor, limit: float) -> Tensor:
    numbers = [number for row in table.tolist() for number in row if number > limit]
    return torch.tensor(numbers, dtype=table.dtype, device=table.device)
