# rejected by: tolerances_are_right: terms: other dtypes and other lengths have other
# the tolerance grows with the number of terms, not with its square root
"""Whether two devices agree: a tolerance by dtype, by length and by the size of the terms."""

import math

import torch
from torch import Tensor


def tolerance(dtype: torch.dtype, terms: int) -> float:
    """How far a sum of `terms` terms may be off, as a share of the sum of their absolute values."""
    return 4 * torch.finfo(dtype).eps * terms if dtype.is_floating_point else 0.0


def agree(got: Tensor, exact: Tensor, terms: int, magnitude: Tensor) -> bool:
    """Whether each element of `got` could be a right result for `exact`."""
    if got.shape != exact.shape:
        return False
    got = got.detach().cpu()
    if not got.dtype.is_floating_point:
        return torch.equal(got.to(torch.int64), exact)
    value, rounded = got.double(), exact.to(got.dtype).double()
    near = (value - exact).abs() <= tolerance(got.dtype, terms) * magnitude
    fine = (value == rounded) | (value.isnan() & exact.isnan()) | (value.isfinite() & exact.isfinite() & near)
    return bool(fine.all())


def matmul_agrees(product: Tensor, a: Tensor, b: Tensor) -> bool:
    """Whether `product` could be `a @ b`."""
    if product.dtype != a.dtype:
        return False
    a, b = a.detach().cpu().double(), b.detach().cpu().double()
    return agree(product, a @ b, a.shape[1], a.abs() @ b.abs())
