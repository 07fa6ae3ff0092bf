# rejected by: only_the_result_lives_on: The backward needs a and b, which live anyway; who
# the result is kept too, also when nobody else holds it; 'that keeps nothing beyond what it was given: `a` and `b`'
"""silu(a) · b that keeps only its arguments for the backward pass."""

from typing import Any

import torch
from torch import Tensor


class Gated(torch.autograd.Function):
    """a · sigmoid(a) · b."""

    @staticmethod
    def forward(ctx: Any, a: Tensor, b: Tensor) -> Tensor:
        result = a * a.sigmoid() * b
        ctx.save_for_backward(a, b, result)
        return result

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor | None, Tensor | None]:
        a, b, result = ctx.saved_tensors
        s = a.sigmoid()
        return gradient * (b * s + result * (1 - s)), gradient * a * s


def gated(a: Tensor, b: Tensor) -> Tensor:
    """a · sigmoid(a) · b, element by element."""
    return Gated.apply(a, b)
