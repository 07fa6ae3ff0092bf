# rejected by: large_whole_numbers_are_exact: float64 holds whole numbers up to 2⁵³: compare int64 with int64
# "0 for whole numbers": int64 compared in float64, so neighbours above 2**53 agree
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
    host = got.detach().cpu()
    verdict = host.to(torch.float64) == exact.to(host.dtype).to(torch.float64)
    if host.dtype.is_floating_point:
        wide, true = host.to(torch.float64), exact.to(torch.float64)
        distance = (wide - true).abs()
        near = distance <= tolerance(host.dtype, terms) * magnitude.to(torch.float64)
        verdict = verdict | (wide.isnan() & true.isnan()) | (wide.isfinite() & distance.isfinite() & near)
    return bool(verdict.all())


def matmul_agrees(product: Tensor, a: Tensor, b: Tensor) -> bool:
    """Whether `product` could be `a @ b`."""
    if product.dtype != a.dtype:
        return False
    a, b = (one.detach().cpu().to(torch.float64) for one in (a, b))
    return agree(product, a @ b, a.shape[1], a.abs() @ b.abs())
