# earns: solved
# nested torch.where, einsum for the magnitudes
"""Whether two devices agree: a tolerance by dtype, by length and by the size of the terms."""

import math

import torch
from torch import Tensor


def tolerance(dtype: torch.dtype, terms: int) -> float:
    return 4.0 * torch.finfo(dtype).eps * math.sqrt(terms) if dtype.is_floating_point else 0.0


def agree(got: Tensor, exact: Tensor, terms: int, magnitude: Tensor) -> bool:
    if got.dim() != exact.dim() or list(got.shape) != list(exact.shape):
        return False
    here = got.detach().cpu()
    same = torch.eq(here, exact.to(here.dtype))
    if here.dtype.is_floating_point:
        wide = here.to(torch.float64)
        limit = tolerance(here.dtype, terms) * magnitude.to(torch.float64)
        distance = torch.where(torch.isfinite(wide), (wide - exact.to(torch.float64)).abs(), torch.inf)
        close = torch.isfinite(wide) & torch.isfinite(exact) & torch.le(distance, limit)
        both = torch.isnan(wide) & torch.isnan(exact)
        same = torch.where(same, same, torch.where(both, both, close))
    return same.all().item()


def matmul_agrees(product: Tensor, a: Tensor, b: Tensor) -> bool:
    if product.dtype is not a.dtype:
        return False
    with torch.no_grad():
        x, y = a.cpu().double(), b.cpu().double()
        exact = torch.einsum("ik,kj->ij", x, y)
        size = torch.einsum("ik,kj->ij", x.abs(), y.abs())
    return agree(product, exact, x.shape[1], size)
