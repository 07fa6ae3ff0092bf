# rejected by: products_are_right: The result should follow the dtype of its inputs
# product computes in float32: float64 inputs come back as float32; 'floats of one dtype, and the result has it too'
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
    return torch.einsum("nk,km->nm", a.float(), b.float())


def row_products(a: Tensor, b: Tensor) -> Tensor:
    """(n, k), (n, k) → (n,)."""
    return torch.einsum("nk,nk->n", a, b)


def many_products(a: Tensor, b: Tensor) -> Tensor:
    """(batch, n, k), (batch, k, m) → (batch, n, m)."""
    return torch.einsum("bnk,bkm->bnm", a, b)


def scores(queries: Tensor, keys: Tensor) -> Tensor:
    """(batch, heads, n, d), (batch, heads, m, d) → (batch, heads, n, m)."""
    return torch.einsum("bhnd,bhmd->bhnm", queries, keys)
