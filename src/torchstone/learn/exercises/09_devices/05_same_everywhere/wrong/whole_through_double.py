# rejected by: large_whole_numbers_are_exact: float64 holds whole numbers up to 2⁵³: c
# compares whole numbers as float64: got 2**53 + 1 agrees with exact 2**53; breaks 'agrees if it is equal to exact'
# and tolerance 0 for int64
"""Whether two devices agree: a tolerance by dtype, by length and by the size of the terms."""

import math

import torch
from torch import Tensor


def tolerance(dtype: torch.dtype, terms: int) -> float:
    """How far a sum of `terms` terms may be off, as a share of the sum of their absolute values."""
    if not dtype.is_floating_point:
        return 0.0
    return 4 * torch.finfo(dtype).eps * math.sqrt(terms)


def agree(got: Tensor, exact: Tensor, terms: int, magnitude: Tensor) -> bool:
    """Whether each element of `got` could be a right result for `exact`."""
    if got.shape != exact.shape:
        return False
    got = got.detach().cpu()
    rounded = exact.to(got.dtype)
    wide = got.double()
    bound = tolerance(got.dtype, terms) * magnitude.double()
    exact = exact.double()
    same = wide == rounded.double()
    both_nan = wide.isnan() & exact.isnan()
    near = wide.isfinite() & exact.isfinite() & ((wide - exact).abs() <= bound)
    return bool((same | both_nan | near).all())


def matmul_agrees(product: Tensor, a: Tensor, b: Tensor) -> bool:
    """Whether `product` could be `a @ b`."""
    if product.dtype != a.dtype:
        return False
    a, b = a.detach().cpu().double(), b.detach().cpu().double()
    return agree(product, a @ b, a.shape[1], a.abs() @ b.abs())
