# earns: solved
# select, narrow, index_select and masked_select
import torch
from torch import Tensor


def first_row(table: Tensor) -> Tensor:
    return table.select(0, 0)


def last_column(table: Tensor) -> Tensor:
    return table.select(1, table.size(1) - 1)


def every_other_row(table: Tensor) -> Tensor:
    return table.index_select(0, torch.arange(0, table.size(0), 2, device=table.device))


def without_border(table: Tensor) -> Tensor:
    rows, columns = table.shape
    return table.narrow(0, 1, rows - 2).narrow(1, 1, columns - 2)


def chosen_rows(table: Tensor, rows: Tensor) -> Tensor:
    return torch.index_select(table, 0, rows)


def above(table: Tensor, limit: float) -> Tensor:
    return torch.masked_select(table, table > limit)
