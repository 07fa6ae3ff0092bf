# earns: solved lean
# the form with lists of numbers instead of letters
"""Sums of products in letters."""

import torch
from torch import Tensor


def turn(table: Tensor) -> Tensor:
    """(n, m) → (m, n)."""
    return torch.einsum(table, [0, 1], [1, 0])


def column_sums(table: Tensor) -> Tensor:
    """(n, m) → (m,)."""
    return torch.einsum(table, [0, 1], [1])


def product(a: Tensor, b: Tensor) -> Tensor:
    """(n, k), (k, m) → (n, m)."""
    return torch.einsum(a, [0, 1], b, [1, 2], [0, 2])


def row_products(a: Tensor, b: Tensor) -> Tensor:
    """(n, k), (n, k) → (n,)."""
    return torch.einsum(a, [0, 1], b, [0, 1], [0])


def many_products(a: Tensor, b: Tensor) -> Tensor:
    """(batch, n, k), (batch, k, m) → (batch, n, m)."""
    return torch.einsum(a, [9, 0, 1], b, [9, 1, 2], [9, 0, 2])


def scores(queries: Tensor, keys: Tensor) -> Tensor:
    """(batch, heads, n, d), (batch, heads, m, d) → (batch, heads, n, m)."""
    return torch.einsum(queries, [..., 2, 4], keys, [..., 3, 4], [..., 2, 3])
