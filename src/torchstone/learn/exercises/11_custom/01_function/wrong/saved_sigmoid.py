# rejected by: second_gradients_are_right: takes it for a constant
"""silu(a) · b that keeps only its arguments for the backward pass."""

from typing import Any

import torch
from torch import Tensor


class Gated(torch.autograd.Function):
    """a · sigmoid(a) · b."""

    @staticmethod
    def forward(ctx: Any, a: Tensor, b: Tensor) -> Tensor:
        # The arguments live anyway; everything else is cheaper to compute again than to keep.
        s = a.sigmoid()
        ctx.save_for_backward(a, b, s)
        return a * s * b

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor, Tensor]:
        # Plain differentiable operations: autograd can go through them once more.
        a, b, s = ctx.saved_tensors
        return gradient * b * s * (1 + a * (1 - s)), gradient * a * s


def gated(a: Tensor, b: Tensor) -> Tensor:
    """a · sigmoid(a) · b, element by element."""
    return Gated.apply(a, b)
