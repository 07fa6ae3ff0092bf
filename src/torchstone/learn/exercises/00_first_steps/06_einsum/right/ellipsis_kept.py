# earns: solved lean
# dots for the axes that are only carried along, capital letters
import torch
from torch import Tensor


def turn(table: Tensor) -> Tensor:
    return torch.einsum("...RC->...CR", table)


def column_sums(table: Tensor) -> Tensor:
    return torch.einsum("R...->...", table)


def product(a: Tensor, b: Tensor) -> Tensor:
    return torch.einsum("NK,KM->NM", a, b)


def row_products(a: Tensor, b: Tensor) -> Tensor:
    return torch.einsum("...K,...K->...", a, b)


def many_products(a: Tensor, b: Tensor) -> Tensor:
    return torch.einsum("...NK,...KM->...NM", a, b)


def scores(queries: Tensor, keys: Tensor) -> Tensor:
    return torch.einsum("...ND,...MD->...NM", queries, keys)
