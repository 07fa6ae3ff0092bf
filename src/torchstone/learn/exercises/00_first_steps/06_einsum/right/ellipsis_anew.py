# earns: solved lean
# capital letters and dots
"""Sums of products in letters."""

import torch
from torch import Tensor


def turn(table: Tensor) -> Tensor:
    """(n, m) → (m, n)."""
    return torch.einsum("...RC -> ...CR", table)


def column_sums(table: Tensor) -> Tensor:
    """(n, m) → (m,)."""
    return torch.einsum("R... -> ...", table)


def product(a: Tensor, b: Tensor) -> Tensor:
    """(n, k), (k, m) → (n, m)."""
    return torch.einsum("Nx, xM -> NM", [a, b])


def row_products(a: Tensor, b: Tensor) -> Tensor:
    """(n, k), (n, k) → (n,)."""
    return torch.einsum("...x, ...x -> ...", a, b)


def many_products(a: Tensor, b: Tensor) -> Tensor:
    """(batch, n, k), (batch, k, m) → (batch, n, m)."""
    return torch.einsum("...Nx, ...xM -> ...NM", a, b)


def scores(queries: Tensor, keys: Tensor) -> Tensor:
    """(batch, heads, n, d), (batch, heads, m, d) → (batch, heads, n, m)."""
    return torch.einsum("...QD, ...KD -> ...QK", queries, keys)
