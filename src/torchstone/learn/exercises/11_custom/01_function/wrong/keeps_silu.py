# rejected by: only_the_result_lives_on: Save the arguments
# 'keeps nothing beyond what it was given': silu(a) and its slope are saved as well
"""silu(a) · b that keeps only its arguments for the backward pass."""

from typing import Any

import torch
from torch import Tensor


class Gated(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, a: Tensor, b: Tensor) -> Tensor:
        s = a.sigmoid()
        silu = a * s
        ctx.save_for_backward(a, b, silu)
        return silu * b

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor, Tensor]:
        a, b, _ = ctx.saved_tensors
        s = a.sigmoid()
        return gradient * b * s * (1 + a * (1 - s)), gradient * a * s


def gated(a: Tensor, b: Tensor) -> Tensor:
    """a · sigmoid(a) · b, element by element."""
    return Gated.apply(a, b)
