# rejected by: the_bound_is_where_it_should_be: Wrap it in bool(…)
# '→ `bool`': a tensor with one element is returned
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
        return (equal | nan).all()
    wide = got.double()
    near = wide.isfinite() & ((wide - exact).abs() <= tolerance(got.dtype, terms) * magnitude)
    return (equal | nan | near).all()


def matmul_agrees(product: Tensor, a: Tensor, b: Tensor) -> bool:
    if product.dtype != a.dtype:
        return False
    a, b = a.detach().cpu().double(), b.detach().cpu().double()
    return agree(product, a @ b, a.shape[1], a.abs() @ b.abs())
