# rejected by: gaps_are_right: and (m,) meet as (n, m
# gaps goes through float32, so float64 and large int64 numbers lose digits
import torch
from torch import Tensor


def add_row(table: Tensor, row: Tensor) -> Tensor:
    return table + row


def scale_rows(table: Tensor, weights: Tensor) -> Tensor:
    return table * weights[:, None]


def gaps(a: Tensor, b: Tensor) -> Tensor:
    return (a[:, None].float() - b[None, :].float()).abs().to(a.dtype)


def to_shares(table: Tensor) -> Tensor:
    return table / table.sum(dim=0)


def tint(photos: Tensor, colour: Tensor) -> Tensor:
    return photos * colour[:, None, None]
