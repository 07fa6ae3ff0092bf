# rejected by: tolerances_are_right: It is 4 · torch.finfo(dtype).eps · √terms
# 'right bounds for all dtypes': a table that knows float32, float16 and bfloat16, and takes 1e-7 for the rest
# (float64, float8 ...)
"""Whether two devices agree: a tolerance by dtype, by length and by the size of the terms."""

import math

import torch
from torch import Tensor


_EPS = {torch.float32: 2.0**-23, torch.float16: 2.0**-10, torch.bfloat16: 2.0**-7}


def tolerance(dtype: torch.dtype, terms: int) -> float:
    if not dtype.is_floating_point:
        return 0.0
    return 4 * _EPS.get(dtype, 1e-7) * math.sqrt(terms)


def agree(got: Tensor, exact: Tensor, terms: int, magnitude: Tensor) -> bool:
    if got.shape != exact.shape:
        return False
    got = got.detach().cpu()
    rounded = exact.to(got.dtype)
    equal = got == rounded
    nan = got.isnan() & exact.isnan()
    if not got.dtype.is_floating_point:
        return bool((equal | nan).all())
    wide = got.double()
    near = wide.isfinite() & ((wide - exact).abs() <= tolerance(got.dtype, terms) * magnitude)
    return bool((equal | nan | near).all())


def matmul_agrees(product: Tensor, a: Tensor, b: Tensor) -> bool:
    if product.dtype != a.dtype:
        return False
    a, b = a.detach().cpu().double(), b.detach().cpu().double()
    return agree(product, a @ b, a.shape[1], a.abs() @ b.abs())
