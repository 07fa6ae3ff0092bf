# earns: solved
# an upper and a lower limit, and a product summed by broadcasting
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
    here = got.detach().to("cpu")
    doubtful = here.ne(exact.to(here.dtype))
    if not here.is_floating_point():
        return not doubtful.any().item()
    here, exact, magnitude = here.double()[doubtful], exact[doubtful], magnitude.expand(exact.shape)[doubtful]
    away = torch.where(here.isfinite() & exact.isfinite(), (here - exact).abs(), torch.nan)
    fine = torch.le(away, magnitude.mul(tolerance(got.dtype, terms)))
    return torch.where(exact.isnan(), here.isnan() | fine, fine).all().item()


def matmul_agrees(product: Tensor, a: Tensor, b: Tensor) -> bool:
    """Whether `product` could be `a @ b`."""
    if product.dtype != a.dtype:
        return False
    a, b = a.detach().cpu().double(), b.detach().cpu().double()
    return agree(product, torch.einsum("ik,kj->ij", a, b), len(b), torch.einsum("ik,kj->ij", a.abs(), b.abs()))
