# rejected by: another_dtype_never_agrees: A result in another dtype is another result
# "another dtype of `product` never agrees": does not ask for the dtype of the product
"""Whether two devices agree: a tolerance by dtype, by length and by the size of the terms."""

import math

import torch
from torch import Tensor


def tolerance(dtype: torch.dtype, terms: int) -> float:
    """How far a sum of `terms` terms may be off, as a share of the sum of their absolute values."""
    return 4 * torch.finfo(dtype).eps * math.sqrt(terms) if dtype.is_floating_point else 0.0


def agree(got: Tensor, exact: Tensor, terms: int, magnitude: Tensor) -> bool:
    """Whether each element of `got` could be a right result for `exact`."""
    if got.shape != exact.shape:
        return False
    got = got.detach().cpu()
    same = got == exact.to(got.dtype)
    if got.dtype.is_floating_point:
        wide = got.double()
        near = (wide - exact).abs() <= tolerance(got.dtype, terms) * magnitude
        same = same | (wide.isnan() & exact.isnan()) | (wide.isfinite() & exact.isfinite() & near)
    return bool(same.all())


def matmul_agrees(product: Tensor, a: Tensor, b: Tensor) -> bool:
    """Whether `product` could be `a @ b`."""
    a, b = a.detach().cpu().double(), b.detach().cpu().double()
    return agree(product, a @ b, a.shape[1], a.abs() @ b.abs())
