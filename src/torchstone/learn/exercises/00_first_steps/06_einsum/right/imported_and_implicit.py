# earns: solved lean
"""Sums of products in letters."""

from torch import Tensor, einsum


def turn(table: Tensor) -> Tensor:
    return einsum("ba", table)


def column_sums(table: Tensor) -> Tensor:
    return einsum("...j -> j", table)


def product(a: Tensor, b: Tensor) -> Tensor:
    return einsum("ik,kj", [a, b])


def row_products(a: Tensor, b: Tensor) -> Tensor:
    return einsum("Nk, Nk -> N", a, b)


def many_products(a: Tensor, b: Tensor) -> Tensor:
    return einsum("...ik,...kj->...ij", a, b)


def scores(queries: Tensor, keys: Tensor) -> Tensor:
    return einsum("...qd,...kd->...qk", queries, keys)
