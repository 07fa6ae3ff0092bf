# earns: solved lean
"""Arithmetic with tensors of different shapes."""

import torch
from torch import Tensor


def add_row(table: Tensor, row: Tensor) -> Tensor:
    return torch.add(row.expand_as(table), table)


def scale_rows(table: Tensor, weights: Tensor) -> Tensor:
    return torch.einsum("rc,r->rc", table, weights)


def gaps(a: Tensor, b: Tensor) -> Tensor:
    n, m = len(a), len(b)
    down, along = a.unsqueeze(1).expand(n, m), b.unsqueeze(0).expand(n, m)
    return torch.maximum(down, along) - torch.minimum(down, along)


def to_shares(table: Tensor) -> Tensor:
    return torch.div(table, torch.sum(table, dim=-2, keepdim=True))


def tint(photos: Tensor, colour: Tensor) -> Tensor:
    return torch.einsum("nchw,c->nchw", photos, colour)
