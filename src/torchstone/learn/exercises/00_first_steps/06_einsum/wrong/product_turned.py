# rejected by: products_are_right: The result is (n, m): the letters behind
# product gives (m, n)
import torch
from torch import Tensor


def turn(table: Tensor) -> Tensor:
    return torch.einsum("ij->ji", table)


def column_sums(table: Tensor) -> Tensor:
    return torch.einsum("ij->j", table)


def product(a: Tensor, b: Tensor) -> Tensor:
    return torch.einsum("ik,kj->ji", a, b)


def row_products(a: Tensor, b: Tensor) -> Tensor:
    return torch.einsum("ik,ik->i", a, b)


def many_products(a: Tensor, b: Tensor) -> Tensor:
    return torch.einsum("bik,bkj->bij", a, b)


def scores(queries: Tensor, keys: Tensor) -> Tensor:
    return torch.einsum("bhnd,bhmd->bhnm", queries, keys)
