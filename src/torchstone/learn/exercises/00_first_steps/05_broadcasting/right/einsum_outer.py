# earns: solved lean
# letters for the products, expand for the gaps
"""Arithmetic with tensors of different shapes."""

import torch
from torch import Tensor


def add_row(table: Tensor, row: Tensor) -> Tensor:
    """`row` is added to each row of the table: an example."""
    return torch.add(row.expand_as(table), table)


def scale_rows(table: Tensor, weights: Tensor) -> Tensor:
    """Row i times weights[i]."""
    return torch.einsum("rc,r->rc", table, weights)


def gaps(a: Tensor, b: Tensor) -> Tensor:
    """(n,) and (m,) → (n, m): how far each number of a is from each number of b."""
    shape = (a.numel(), b.numel())
    down, along = a.unsqueeze(-1).expand(shape), b.unsqueeze(0).expand(shape)
    return torch.sub(down, along).abs_()


def to_shares(table: Tensor) -> Tensor:
    """Each number as a share of its column's sum."""
    return torch.div(table, torch.einsum("rc->c", table))


def tint(photos: Tensor, colour: Tensor) -> Tensor:
    """(count, 3, height, width), each colour plane times its factor."""
    return torch.einsum("nchw,c->nchw", photos, colour)
