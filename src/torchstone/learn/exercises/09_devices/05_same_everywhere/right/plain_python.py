# earns: solved
# element by element in plain Python numbers
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
    allowed = tolerance(got.dtype, terms)
    columns = (got.detach().cpu(), exact.to(got.dtype), exact, magnitude)
    for one, rounded, right, size in zip(*(column.flatten().tolist() for column in columns)):
        if one == rounded or (math.isnan(one) and math.isnan(right)):
            continue
        if not (math.isfinite(one) and math.isfinite(right) and abs(one - right) <= allowed * size):
            return False
    return True


def matmul_agrees(product: Tensor, a: Tensor, b: Tensor) -> bool:
    """Whether `product` could be `a @ b`."""
    if product.dtype != a.dtype:
        return False
    a, b = a.detach().cpu().double(), b.detach().cpu().double()
    return agree(product, a @ b, a.shape[1], a.abs() @ b.abs())
