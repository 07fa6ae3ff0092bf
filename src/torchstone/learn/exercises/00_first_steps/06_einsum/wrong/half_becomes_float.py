# rejected by: every_dtype_is_kept: The result has the dtype of the inputs, and all of its
# half precision comes back as float32; 'the result has it too'
"""Sums of products in letters."""

import torch
from torch import Tensor


def turn(table: Tensor) -> Tensor:
    """(n, m) → (m, n)."""
    return torch.einsum("nm->mn", table)


def column_sums(table: Tensor) -> Tensor:
    """(n, m) → (m,)."""
    return torch.einsum("nm->m", table)


def product(a: Tensor, b: Tensor) -> Tensor:
    """(n, k), (k, m) → (n, m)."""
    return torch.einsum("nk,km->nm", a, b)


def row_products(a: Tensor, b: Tensor) -> Tensor:
    """(n, k), (n, k) → (n,)."""
    # The same letter n on both sides means "the same row", and it stays.
    return torch.einsum("nk,nk->n", a, b)


def many_products(a: Tensor, b: Tensor) -> Tensor:
    """(batch, n, k), (batch, k, m) → (batch, n, m)."""
    return torch.einsum("bnk,bkm->bnm", *(one.float() if one.itemsize < 4 else one for one in (a, b)))


def scores(queries: Tensor, keys: Tensor) -> Tensor:
    """(batch, heads, n, d), (batch, heads, m, d) → (batch, heads, n, m)."""
    return torch.einsum("bhnd,bhmd->bhnm", queries, keys)
