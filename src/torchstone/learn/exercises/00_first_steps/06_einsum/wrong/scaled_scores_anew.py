# rejected by: scores_are_right: Only the dot products
# divides by the root of d as attention papers do; 'the dot product of each query with each key' (any d > 1)
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
    return torch.einsum("nk,nk->n", a, b)


def many_products(a: Tensor, b: Tensor) -> Tensor:
    """(batch, n, k), (batch, k, m) → (batch, n, m)."""
    return torch.einsum("bnk,bkm->bnm", a, b)


def scores(queries: Tensor, keys: Tensor) -> Tensor:
    """(batch, heads, n, d), (batch, heads, m, d) → (batch, heads, n, m)."""
    return torch.einsum("bhnd,bhmd->bhnm", queries / queries.shape[-1] ** 0.5, keys)
