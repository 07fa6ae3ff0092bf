# earns: solved lean
# einsum for the products, expand for the rest
import torch
from torch import Tensor


def add_row(table: Tensor, row: Tensor) -> Tensor:
    return table + row.expand_as(table)


def scale_rows(table: Tensor, weights: Tensor) -> Tensor:
    return torch.einsum("ij,i->ij", table, weights)


def gaps(a: Tensor, b: Tensor) -> Tensor:
    n, m = len(a), len(b)
    return torch.sub(a.unsqueeze(1).expand(n, m), b.unsqueeze(0).expand(n, m)).abs()


def to_shares(table: Tensor) -> Tensor:
    return torch.div(table, torch.sum(table, 0, keepdim=True))


def tint(photos: Tensor, colour: Tensor) -> Tensor:
    return torch.einsum("nchw,c->nchw", photos, colour)
