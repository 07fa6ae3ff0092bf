# rejected by: no_loop_over_the_colours: meets all planes at once
# a Python loop over the three colours
import torch
from torch import Tensor


def add_row(table: Tensor, row: Tensor) -> Tensor:
    return table + row


def scale_rows(table: Tensor, weights: Tensor) -> Tensor:
    return table * weights[:, None]


def gaps(a: Tensor, b: Tensor) -> Tensor:
    return (a[:, None] - b[None, :]).abs()


def to_shares(table: Tensor) -> Tensor:
    return table / table.sum(dim=0)


def tint(photos: Tensor, colour: Tensor) -> Tensor:
    return torch.stack([photos[:, i] * colour[i] for i in range(3)], dim=1)
