# earns: solved lean
# einsum with lists of numbers in place of letters
import torch
from torch import Tensor


def turn(table: Tensor) -> Tensor:
    return torch.einsum(table, [0, 1], [1, 0])


def column_sums(table: Tensor) -> Tensor:
    return torch.einsum(table, [0, 1], [1])


def product(a: Tensor, b: Tensor) -> Tensor:
    return torch.einsum(a, [0, 1], b, [1, 2], [0, 2])


def row_products(a: Tensor, b: Tensor) -> Tensor:
    return torch.einsum(a, [0, 1], b, [0, 1], [0])


def many_products(a: Tensor, b: Tensor) -> Tensor:
    return torch.einsum(a, [0, 1, 2], b, [0, 2, 3], [0, 1, 3])


def scores(queries: Tensor, keys: Tensor) -> Tensor:
    return torch.einsum(queries, [0, 1, 2, 4], keys, [0, 1, 3, 4], [0, 1, 2, 3])
