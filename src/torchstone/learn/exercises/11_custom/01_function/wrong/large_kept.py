# rejected by: only_the_result_lives_on: Save the arguments, which live anyway, and compute
# 'nothing lives but the result': for many numbers the sigmoid is kept
"""silu(a) · b that keeps only its arguments for the backward pass."""

from typing import Any

import torch
from torch import Tensor


class Gated(torch.autograd.Function):
    """a · sigmoid(a) · b."""

    @staticmethod
    def forward(ctx: Any, a: Tensor, b: Tensor) -> Tensor:
        # The arguments live anyway; everything else is cheaper to compute again than to keep.
        ctx.save_for_backward(a, b)
        if a.numel() > 10000:
            ctx.s = a.sigmoid()
        return a * a.sigmoid() * b

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor, Tensor]:
        # Plain differentiable operations: autograd can go through them once more.
        a, b = ctx.saved_tensors
        s = a.sigmoid()
        return gradient * b * s * (1 + a * (1 - s)), gradient * a * s


def gated(a: Tensor, b: Tensor) -> Tensor:
    """a · sigmoid(a) · b, element by element."""
    return Gated.apply(a, b)
