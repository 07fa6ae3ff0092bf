# earns: solved
# a mask of faults from which excuses are taken away; whole numbers as Python lists; einsum
"""Whether two devices agree: whatever cannot be excused counts as a fault."""

import torch
from torch import Tensor


def tolerance(dtype: torch.dtype, terms: int) -> float:
    """How far a sum of `terms` terms may be off, as a share of the sum of their absolute values."""
    try:
        eps = torch.finfo(dtype).eps
    except TypeError:
        return 0.0
    return 4.0 * eps * terms**0.5


def agree(got: Tensor, exact: Tensor, terms: int, magnitude: Tensor) -> bool:
    """Whether each element of `got` could be a right result for `exact`."""
    if tuple(got.shape) != tuple(exact.shape):
        return False
    host = got.detach().to("cpu")
    if host.dtype.is_floating_point:
        return not faults(host, exact, terms, magnitude).any()
    return host.flatten().tolist() == exact.flatten().tolist()


def faults(host: Tensor, exact: Tensor, terms: int, magnitude: Tensor) -> Tensor:
    """Where floating-point numbers cannot be right: first all that differ, then less and less."""
    wide = host.to(torch.float64)
    bad = wide.ne(exact.to(host.dtype).to(torch.float64))
    bad = bad.logical_and(~(wide.isnan() & exact.isnan()))
    allowed = torch.broadcast_to(magnitude * tolerance(host.dtype, terms), exact.shape)
    both_finite = torch.isfinite(wide) & torch.isfinite(exact)
    excused = torch.where(both_finite, (wide - exact).abs().le(allowed), torch.zeros_like(both_finite))
    return bad & ~excused


def matmul_agrees(product: Tensor, a: Tensor, b: Tensor) -> bool:
    """Whether `product` could be `a @ b`."""
    if product.dtype is not a.dtype:
        return False
    left, right = (matrix.detach().to("cpu").to(torch.float64) for matrix in (a, b))
    exact = torch.einsum("ij,jk->ik", left, right)
    size = torch.einsum("ij,jk->ik", left.abs(), right.abs())
    return agree(product, exact, left.shape[1], size)
