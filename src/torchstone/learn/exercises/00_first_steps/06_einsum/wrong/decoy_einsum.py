# rejected by: one_call_each: The letters can say all of it: which axes meet, which stay,
# the product is made by @, and einsum only copies it; demanded: "right results, on any device, each by
# `torch.einsum`"
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
    return torch.einsum("bnm->bnm", a @ b)


def scores(queries: Tensor, keys: Tensor) -> Tensor:
    """(batch, heads, n, d), (batch, heads, m, d) → (batch, heads, n, m)."""
    return torch.einsum(
        queries, [BATCH, HEAD, ROW, INNER], keys, [BATCH, HEAD, COLUMN, INNER], [BATCH, HEAD, ROW, COLUMN]
    )
