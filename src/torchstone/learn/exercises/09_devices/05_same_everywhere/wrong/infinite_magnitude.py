# rejected by: odd_values_are_judged: Equal after rounding to the dtype of got
# an infinite magnitude lets got = inf agree with a finite exact; breaks 'if both are finite and at most tolerance ·
# magnitude apart (a magnitude may be infinite)'
"""Whether two devices agree: a tolerance by dtype, by length and by the size of the terms."""

import math

import torch
from torch import Tensor


def tolerance(dtype: torch.dtype, terms: int) -> float:
    """How far a sum of `terms` terms may be off, as a share of the sum of their absolute values."""
    if not dtype.is_floating_point:
        return 0.0
    return 4 * torch.finfo(dtype).eps * math.sqrt(terms)


def agree(got: Tensor, exact: Tensor, terms: int, magnitude: Tensor) -> bool:
    """Whether each element of `got` could be a right result for `exact`."""
    if got.shape != exact.shape:
        return False
    got = got.detach().cpu()
    rounded = exact.to(got.dtype)
    if not got.dtype.is_floating_point:
        return torch.equal(got, rounded)
    wide = got.double()
    bound = tolerance(got.dtype, terms) * magnitude
    same = wide == rounded.double()
    both_nan = wide.isnan() & exact.isnan()
    near = (wide - exact).abs() <= bound
    return bool((same | both_nan | near).all())


def matmul_agrees(product: Tensor, a: Tensor, b: Tensor) -> bool:
    """Whether `product` could be `a @ b`."""
    if product.dtype != a.dtype:
        return False
    a, b = a.detach().cpu().double(), b.detach().cpu().double()
    return agree(product, a @ b, a.shape[1], a.abs() @ b.abs())
