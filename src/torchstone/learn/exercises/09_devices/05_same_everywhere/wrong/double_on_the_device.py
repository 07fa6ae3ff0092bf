# rejected by: products_are_judged: TypeError
# 'The device may have no float64: what needs it happens on the CPU': .double() before .cpu()
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
    kind, got = got.dtype, got.detach().double().cpu()
    rounded = exact.to(kind).double()
    equal = got == rounded
    nan = got.isnan() & exact.isnan()
    if not kind.is_floating_point:
        return bool((equal | nan).all())
    wide = got.double()
    near = wide.isfinite() & ((wide - exact).abs() <= tolerance(kind, terms) * magnitude)
    return bool((equal | nan | near).all())


def matmul_agrees(product: Tensor, a: Tensor, b: Tensor) -> bool:
    if product.dtype != a.dtype:
        return False
    a, b = a.double().cpu(), b.double().cpu()
    return agree(product, a @ b, a.shape[1], a.abs() @ b.abs())
