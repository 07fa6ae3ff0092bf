# rejected by: row_products_are_right: the result of row
# row_products multiplies row i of a with every row of b and sums
import torch
from torch import Tensor


def turn(table: Tensor) -> Tensor:
    return torch.einsum("ij->ji", table)


def column_sums(table: Tensor) -> Tensor:
    return torch.einsum("ij->j", table)


def product(a: Tensor, b: Tensor) -> Tensor:
    return torch.einsum("ik,kj->ij", a, b)


def row_products(a: Tensor, b: Tensor) -> Tensor:
    return torch.einsum("ik,jk->i", a, b)


def many_products(a: Tensor, b: Tensor) -> Tensor:
    return torch.einsum("bik,bkj->bij", a, b)


def scores(queries: Tensor, keys: Tensor) -> Tensor:
    return torch.einsum("bhnd,bhmd->bhnm", queries, keys)
