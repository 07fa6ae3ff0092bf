# rejected by: the_bound_is_where_it_should_be: The bound is tolerance(dtype of got
# 'with the size of those terms — not with the size of the result, which may be near 0 because they cancel': relative
# to |exact|
"""Whether two devices agree: a tolerance by dtype, by length and by the size of the terms."""

import math

import torch
from torch import Tensor


def tolerance(dtype: torch.dtype, terms: int) -> float:
    if not (dtype.is_floating_point or dtype.is_complex):
        return 0.0
    return 4 * torch.finfo(dtype).eps * math.sqrt(terms)


def agree(got: Tensor, exact: Tensor, terms: int, magnitude: Tensor) -> bool:
    if got.shape != exact.shape:
        return False
    wide = got.detach().cpu().double()
    return torch.allclose(wide, exact.double(), rtol=tolerance(got.dtype, terms), atol=0.0, equal_nan=True)


def matmul_agrees(product: Tensor, a: Tensor, b: Tensor) -> bool:
    if product.dtype != a.dtype:
        return False
    a, b = a.detach().cpu().double(), b.detach().cpu().double()
    return agree(product, a @ b, a.shape[1], a.abs() @ b.abs())
