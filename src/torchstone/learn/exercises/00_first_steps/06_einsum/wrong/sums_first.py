# rejected by: row_products_are_right: values differ
# 'nk,nj->n' is the product of two row sums (rows (1, 2) and (3, 4): 21 and not 11); 'the dot product of row i of a
# with row i of b'
"""Sums of products in letters."""

import torch
from torch import Tensor


def turn(table: Tensor) -> Tensor:
    """(n, m) → (m, n)."""
    return torch.einsum("ij->ji", table)


def column_sums(table: Tensor) -> Tensor:
    """(n, m) → (m,)."""
    return torch.einsum("ij->j", table)


def product(a: Tensor, b: Tensor) -> Tensor:
    """(n, k), (k, m) → (n, m)."""
    return torch.einsum("nk,km->nm", a, b)


def row_products(a: Tensor, b: Tensor) -> Tensor:
    """(n, k), (n, k) → (n,)."""
    return torch.einsum("nk,nj->n", a, b)


def many_products(a: Tensor, b: Tensor) -> Tensor:
    """(batch, n, k), (batch, k, m) → (batch, n, m)."""
    return torch.einsum("bnk,bkm->bnm", a, b)


def scores(queries: Tensor, keys: Tensor) -> Tensor:
    """(batch, heads, n, d), (batch, heads, m, d) → (batch, heads, n, m)."""
    return torch.einsum("bhnd,bhmd->bhnm", queries, keys)
