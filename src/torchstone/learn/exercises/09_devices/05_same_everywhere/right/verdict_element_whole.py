# earns: solved
# one verdict for each element, whole numbers and floats apart
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
    got, exact, magnitude = (tensor.detach().cpu() for tensor in (got, exact, magnitude))
    if got.shape != exact.shape:
        return False
    if not got.is_floating_point():
        whole = exact.round() if exact.is_floating_point() else exact
        return bool((got == whole.to(got.dtype)).all())
    value = got.double()
    fine = value == exact.to(got.dtype).double()
    fine |= value.isnan() & exact.isnan()
    near = (value - exact.double()).abs() <= tolerance(got.dtype, terms) * magnitude.double()
    return bool((fine | (value.isfinite() & exact.isfinite() & near)).all())


def matmul_agrees(product: Tensor, a: Tensor, b: Tensor) -> bool:
    """Whether `product` could be `a @ b`."""
    if product.dtype != a.dtype:
        return False
    left, right = a.detach().cpu().double(), b.detach().cpu().double()
    return agree(product, left @ right, a.shape[1], left.abs() @ right.abs())
