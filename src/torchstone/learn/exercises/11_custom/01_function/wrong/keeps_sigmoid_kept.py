# rejected by: only_the_result_lives_on: Save the arguments, which live anyway, and compute
# the sigmoid is kept for the backward pass, a third tensor
"""silu(a) · b that keeps only its arguments for the backward pass."""

from typing import Any

import torch
from torch import Tensor


class Gated(torch.autograd.Function):
    """a · sigmoid(a) · b."""

    @staticmethod
    def forward(ctx: Any, a: Tensor, b: Tensor) -> Tensor:
        s = a.sigmoid()
        ctx.save_for_backward(a, b, s)
        return a * s * b

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor | None, Tensor | None]:
        a, b, s = ctx.saved_tensors
        s = s + (a.sigmoid() - s.detach()) if torch.is_grad_enabled() else s
        return gradient * b * s * (1 + a * (1 - s)), gradient * a * s


def gated(a: Tensor, b: Tensor) -> Tensor:
    """a · sigmoid(a) · b, element by element."""
    return Gated.apply(a, b)
