# rejected by: another_dtype_never_agrees: A result in another dtype is another result
# 'another dtype of `product` never agrees': a float32 product of float16 matrices is judged by its own eps
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
    a, b = a.detach().cpu().double(), b.detach().cpu().double()
    return agree(product, a @ b, a.shape[1], a.abs() @ b.abs())
