# rejected by: only_the_result_lives_on: compute the rest again
"""silu(a) · b that keeps only its arguments for the backward pass."""

from typing import Any

import torch
from torch import Tensor


class Gated(torch.autograd.Function):
    """a · sigmoid(a) · b."""

    @staticmethod
    def forward(ctx: Any, a: Tensor, b: Tensor) -> Tensor:
        s = a.sigmoid()
        silu = a * s
        ctx.save_for_backward(a, b, s, silu)
        return silu * b

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor, Tensor]:
        # Plain differentiable operations: autograd can go through them once more.
        a, b, _, _ = ctx.saved_tensors
        s = a.sigmoid()
        return gradient * b * s * (1 + a * (1 - s)), gradient * a * s


def gated(a: Tensor, b: Tensor) -> Tensor:
    """a · sigmoid(a) · b, element by element."""
    return Gated.apply(a, b)
