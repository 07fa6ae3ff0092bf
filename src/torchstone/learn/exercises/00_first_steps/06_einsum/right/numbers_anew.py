# earns: solved lean
# einsum's other form: axes as lists of numbers
"""Sums of products in letters."""

import torch
from torch import Tensor

BATCH, HEAD, ROW, COLUMN, INNER = range(5)


def turn(table: Tensor) -> Tensor:
    """(n, m) → (m, n)."""
    return torch.einsum(table, [ROW, COLUMN], [COLUMN, ROW])


def column_sums(table: Tensor) -> Tensor:
    """(n, m) → (m,)."""
    return torch.einsum(table, [ROW, COLUMN], [COLUMN])


def product(a: Tensor, b: Tensor) -> Tensor:
    """(n, k), (k, m) → (n, m)."""
    return torch.einsum(a, [ROW, INNER], b, [INNER, COLUMN], [ROW, COLUMN])


def row_products(a: Tensor, b: Tensor) -> Tensor:
    """(n, k), (n, k) → (n,)."""
    return torch.einsum(a, [ROW, INNER], b, [ROW, INNER], [ROW])


def many_products(a: Tensor, b: Tensor) -> Tensor:
    """(batch, n, k), (batch, k, m) → (batch, n, m)."""
    return torch.einsum(a, [BATCH, ROW, INNER], b, [BATCH, INNER, COLUMN], [BATCH, ROW, COLUMN])


def scores(queries: Tensor, keys: Tensor) -> Tensor:
    """(batch, heads, n, d), (batch, heads, m, d) → (batch, heads, n, m)."""
    return torch.einsum(
        queries, [BATCH, HEAD, ROW, INNER], keys, [BATCH, HEAD, COLUMN, INNER], [BATCH, HEAD, ROW, COLUMN]
    )
