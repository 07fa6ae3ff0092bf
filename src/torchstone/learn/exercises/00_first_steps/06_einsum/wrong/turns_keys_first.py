# rejected by: one_call_each: The letters can say all of it: which
# scores turns the keys by a transpose before einsum
import torch
from torch import Tensor


def turn(table: Tensor) -> Tensor:
    return torch.einsum("ij->ji", table)


def column_sums(table: Tensor) -> Tensor:
    return torch.einsum("ij->j", table)


def product(a: Tensor, b: Tensor) -> Tensor:
    return torch.einsum("ik,kj->ij", a, b)


def row_products(a: Tensor, b: Tensor) -> Tensor:
    return torch.einsum("ik,ik->i", a, b)


def many_products(a: Tensor, b: Tensor) -> Tensor:
    return torch.einsum("bik,bkj->bij", a, b)


def scores(queries: Tensor, keys: Tensor) -> Tensor:
    return torch.einsum("bhnd,bhdm->bhnm", queries, keys.transpose(-1, -2))
