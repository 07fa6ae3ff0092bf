"""Whether two devices agree: a tolerance by dtype, by length and by the size of the terms."""

import math

import torch
from torch import Tensor


def tolerance(dtype: torch.dtype, terms: int) -> float:
    """How far a sum of `terms` terms may be off, as a share of the sum of their absolute values."""
    # TODO: one number cannot be right for every dtype and length
    return 1e-5


def agree(got: Tensor, exact: Tensor, terms: int, magnitude: Tensor) -> bool:
    """Whether each element of `got` could be a right result for `exact`."""
    # TODO: shapes, NaN, infinity, whole numbers, and devices without float64
    return torch.allclose(got.double(), exact, rtol=tolerance(got.dtype, terms))


def matmul_agrees(product: Tensor, a: Tensor, b: Tensor) -> bool:
    """Whether `product` could be `a @ b`."""
    # TODO: terms that cancel
    return agree(product, a.double() @ b.double(), a.shape[1], product)
