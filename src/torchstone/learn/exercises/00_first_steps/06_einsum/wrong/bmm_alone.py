# rejected by: einsum_does_it: This kata is about the letters
# many_products is torch.bmm, without einsum; 'each by torch.einsum' (any input)
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
    return torch.bmm(a, b)


def scores(queries: Tensor, keys: Tensor) -> Tensor:
    """(batch, heads, n, d), (batch, heads, m, d) → (batch, heads, n, m)."""
    return torch.einsum("bhnd,bhmd->bhnm", queries, keys)
