"""Sums of products in letters."""

import torch
from torch import Tensor


def turn(table: Tensor) -> Tensor:
    """(n, m) → (m, n)."""
    # TODO: the letters behind the arrow
    return torch.einsum("ij->ij", table)


def column_sums(table: Tensor) -> Tensor:
    """(n, m) → (m,)."""
    # TODO
    return torch.einsum("ij->i", table)


def product(a: Tensor, b: Tensor) -> Tensor:
    """(n, k), (k, m) → (n, m)."""
    # TODO
    raise NotImplementedError("product")


def row_products(a: Tensor, b: Tensor) -> Tensor:
    """(n, k), (n, k) → (n,)."""
    # TODO
    raise NotImplementedError("row_products")


def many_products(a: Tensor, b: Tensor) -> Tensor:
    """(batch, n, k), (batch, k, m) → (batch, n, m)."""
    # TODO
    raise NotImplementedError("many_products")


def scores(queries: Tensor, keys: Tensor) -> Tensor:
    """(batch, heads, n, d), (batch, heads, m, d) → (batch, heads, n, m)."""
    # TODO
    raise NotImplementedError("scores")
