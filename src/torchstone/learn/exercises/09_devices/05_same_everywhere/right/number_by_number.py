# earns: solved
# Python numbers one by one, einsum
"""Whether two devices agree: a tolerance by dtype, by length and by the size of the terms."""

import math

import torch
from torch import Tensor


def tolerance(dtype: torch.dtype, terms: int) -> float:
    """How far a sum of `terms` terms may be off, as a share of the sum of their absolute values."""
    try:
        return float(4.0 * torch.finfo(dtype).eps * terms**0.5)
    except TypeError:
        return 0.0


def _one(got: float, exact: float, rounded: float, bound: float) -> bool:
    if got == rounded:
        return True
    if math.isnan(got) or math.isnan(exact):
        return math.isnan(got) and math.isnan(exact)
    return math.isfinite(got) and math.isfinite(exact) and abs(got - exact) <= bound


def agree(got: Tensor, exact: Tensor, terms: int, magnitude: Tensor) -> bool:
    """Whether each element of `got` could be a right result for `exact`."""
    if tuple(got.shape) != tuple(exact.shape):
        return False
    here = got.detach().to("cpu")
    rounded = exact.to(here.dtype)
    if not here.dtype.is_floating_point:
        return here.flatten().tolist() == exact.flatten().tolist()
    allowed = (magnitude * tolerance(here.dtype, terms)).flatten().tolist()
    columns = (here.double(), exact, rounded.double())
    return all(map(_one, *(column.flatten().tolist() for column in columns), allowed))


def matmul_agrees(product: Tensor, a: Tensor, b: Tensor) -> bool:
    """Whether `product` could be `a @ b`."""
    if product.dtype is not a.dtype:
        return False
    left, right = (matrix.detach().to("cpu").to(torch.float64) for matrix in (a, b))
    exact = torch.einsum("ik,kj->ij", left, right)
    size = torch.einsum("ik,kj->ij", left.abs(), right.abs())
    return agree(product, exact, left.shape[1], size)
