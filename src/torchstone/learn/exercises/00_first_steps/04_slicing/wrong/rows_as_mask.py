# rejected by: chosen_rows_are_right: A row that is named twice comes twice
# chosen_rows makes a mask of the rows: their order is lost, and a row that comes twice is given once
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
    chosen = torch.zeros(len(table), dtype=torch.bool, device=table.device)
    chosen[rows] = True
    return table[chosen]


def above(table: Tensor, limit: float) -> Tensor:
    return table[table > limit]
