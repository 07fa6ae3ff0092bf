# rejected by: colours_are_right: colour met the width, the last axis: it must be
# photographs that are 3 wide are tinted along their width; 'right results, also where all axes are equally long'
"""Arithmetic with tensors of different shapes."""

import torch
from torch import Tensor


def add_row(table: Tensor, row: Tensor) -> Tensor:
    """`row` is added to each row of the table: an example."""
    return row.expand_as(table) + table


def scale_rows(table: Tensor, weights: Tensor) -> Tensor:
    """Row i times weights[i]."""
    return (table.mT * weights).mT


def gaps(a: Tensor, b: Tensor) -> Tensor:
    """(n,) and (m,) → (n, m): how far each number of a is from each number of b."""
    return torch.sub(a.unsqueeze(1), b.unsqueeze(0)).abs()


def to_shares(table: Tensor) -> Tensor:
    """Each number as a share of its column's sum."""
    return table / table.sum(dim=0, keepdim=True)


def tint(photos: Tensor, colour: Tensor) -> Tensor:
    """(count, 3, height, width), each colour plane times its factor."""
    if photos.shape[-1] == colour.shape[0]:
        return photos * colour
    return photos * colour[:, None, None]
