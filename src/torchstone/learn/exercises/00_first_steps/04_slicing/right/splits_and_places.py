# earns: solved
# unbind, unfold, tensor_split and nonzero
import torch
from torch import Tensor


def first_row(table: Tensor) -> Tensor:
    return table.unbind(0)[0]


def last_column(table: Tensor) -> Tensor:
    return table.unbind(1)[-1]


def every_other_row(table: Tensor) -> Tensor:
    return table.unfold(0, 1, 2).squeeze(-1)


def without_border(table: Tensor) -> Tensor:
    _, middle, _ = table.tensor_split([1, table.shape[0] - 1], dim=0)
    _, middle, _ = middle.tensor_split([1, table.shape[1] - 1], dim=1)
    return middle


def chosen_rows(table: Tensor, rows: Tensor) -> Tensor:
    return table[rows.to(torch.int64), :]


def above(table: Tensor, limit: float) -> Tensor:
    places = torch.nonzero(torch.gt(table, limit), as_tuple=True)
    return table[places]
