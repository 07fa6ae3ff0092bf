# earns: solved
# one boolean table that starts with equality; whole numbers end there
"""Whether two devices agree: a tolerance by dtype, by length and by the size of the terms."""

import math

import torch
from torch import Tensor


def tolerance(dtype: torch.dtype, terms: int) -> float:
    """How far a sum of `terms` terms may be off, as a share of the sum of their absolute values."""
    if not (dtype.is_floating_point or dtype.is_complex):
        return 0.0
    return 4 * torch.finfo(dtype).eps * math.sqrt(terms)


def agree(got: Tensor, exact: Tensor, terms: int, magnitude: Tensor) -> bool:
    """Whether each element of `got` could be a right result for `exact`."""
    if got.shape != exact.shape:
        return False
    here = got.detach().cpu()
    fine = here == exact.to(here.dtype)
    if here.dtype.is_floating_point:
        wide = here.double()
        away = (wide - exact.double()).abs()
        near = away <= tolerance(here.dtype, terms) * magnitude.double()
        fine = fine | (wide.isnan() & exact.isnan()) | (wide.isfinite() & exact.isfinite() & near)
    return bool(fine.all())


def matmul_agrees(product: Tensor, a: Tensor, b: Tensor) -> bool:
    """Whether `product` could be `a @ b`."""
    if product.dtype != a.dtype:
        return False
    left, right = a.detach().cpu().double(), b.detach().cpu().double()
    return agree(product, left @ right, a.shape[1], left.abs() @ right.abs())
