# earns: solved
# counts what is left over after each reason to agree
"""Whether two devices agree: a tolerance by dtype, by length and by the size of the terms."""

import math

import torch
from torch import Tensor


def tolerance(dtype: torch.dtype, terms: int) -> float:
    """How far a sum of `terms` terms may be off, as a share of the sum of their absolute values."""
    if not dtype.is_floating_point:
        return 0.0
    return float(4 * torch.finfo(dtype).eps * terms**0.5)


def agree(got: Tensor, exact: Tensor, terms: int, magnitude: Tensor) -> bool:
    """Whether each element of `got` could be a right result for `exact`."""
    if got.shape != exact.shape:
        return False
    got = got.detach().cpu()
    got, exact, magnitude = got.reshape(-1), exact.reshape(-1), magnitude.reshape(-1)
    left = torch.ne(got, exact.to(got.dtype)).nonzero().squeeze(1)
    if len(left) == 0 or not got.dtype.is_floating_point:
        return len(left) == 0
    one, right, size = got[left].to(torch.float64), exact[left], magnitude[left]
    finite = torch.isfinite(one) & torch.isfinite(right)
    gap = torch.where(finite, (one - right).abs(), torch.where(one.isnan() & right.isnan(), 0.0, torch.nan))
    bound = torch.where(finite, tolerance(got.dtype, terms) * size, 0.0)
    return (gap <= bound).all().item()


def matmul_agrees(product: Tensor, a: Tensor, b: Tensor) -> bool:
    """Whether `product` could be `a @ b`."""
    if product.dtype != a.dtype:
        return False
    a, b = a.detach().cpu().double(), b.detach().cpu().double()
    return agree(product, torch.einsum("ik,kj->ij", a, b), b.shape[0], torch.einsum("ik,kj->ij", a.abs(), b.abs()))
