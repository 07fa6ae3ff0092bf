# rejected by: the_number_of_terms_is_that_of_the_sum: Each element of a @ b adds up as many products as a has columns
# one magnitude for all elements, the largest: an error of 1e-3 in the small row of a product with one huge row
# passes; breaks 'The magnitude of each element is the sum of |a·b| over its terms'
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
    near = wide.isfinite() & exact.isfinite() & ((wide - exact).abs() <= bound)
    return bool((same | both_nan | near).all())


def matmul_agrees(product: Tensor, a: Tensor, b: Tensor) -> bool:
    """Whether `product` could be `a @ b`."""
    if product.dtype != a.dtype:
        return False
    a, b = a.detach().cpu().double(), b.detach().cpu().double()
    exact, size = a @ b, a.abs() @ b.abs()
    if size.numel():
        size = size.max().expand_as(exact)
    return agree(product, exact, a.shape[1], size)
