# earns: solved lean
# the short axis goes last and back again; the larger minus the smaller
"""Arithmetic with tensors of different shapes."""

import torch
from torch import Tensor


def add_row(table: Tensor, row: Tensor) -> Tensor:
    """`row` is added to each row of the table: an example."""
    return table + row.reshape(1, -1)


def scale_rows(table: Tensor, weights: Tensor) -> Tensor:
    """Row i times weights[i]."""
    return (table.T * weights).T


def gaps(a: Tensor, b: Tensor) -> Tensor:
    """(n,) and (m,) → (n, m): how far each number of a is from each number of b."""
    down, along = torch.meshgrid(a, b, indexing="ij")
    return torch.maximum(down, along) - torch.minimum(down, along)


def to_shares(table: Tensor) -> Tensor:
    """Each number as a share of its column's sum."""
    columns = table.T
    return (columns / columns.sum(dim=1, keepdim=True)).T


def tint(photos: Tensor, colour: Tensor) -> Tensor:
    """(count, 3, height, width), each colour plane times its factor."""
    return (photos.movedim(1, -1) * colour).movedim(-1, 1)
