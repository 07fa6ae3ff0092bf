# earns: solved
# Python numbers, one element after the other, iinfo / finfo through a try
"""Whether two devices agree: a tolerance by dtype, by length and by the size of the terms."""

import math

import torch
from torch import Tensor


def tolerance(dtype: torch.dtype, terms: int) -> float:
    try:
        eps = torch.finfo(dtype).eps
    except TypeError:
        return 0.0
    return float(4 * eps * terms**0.5)


def _fits(value: float, exact: float, rounded: float, allowed: float) -> bool:
    if value == rounded:
        return True
    if value != value or exact != exact:
        return value != value and exact != exact
    if isinstance(value, float) and (math.isinf(value) or math.isinf(exact)):
        return False
    return abs(value - exact) <= allowed


def agree(got: Tensor, exact: Tensor, terms: int, magnitude: Tensor) -> bool:
    if tuple(got.shape) != tuple(exact.shape):
        return False
    host = got.detach().to("cpu")
    share = tolerance(host.dtype, terms)
    rows = zip(
        host.flatten().tolist(),
        exact.flatten().tolist(),
        exact.to(host.dtype).flatten().tolist(),
        (magnitude.expand(exact.shape).double() * share if share else torch.zeros(exact.shape)).flatten().tolist(),
    )
    return all(_fits(*row) for row in rows)


def matmul_agrees(product: Tensor, a: Tensor, b: Tensor) -> bool:
    if not (product.dtype == a.dtype == b.dtype):
        return False
    left, right = (matrix.detach().cpu().to(torch.float64) for matrix in (a, b))
    return agree(product, left.mm(right), left.size(1), left.abs().mm(right.abs()))
