# rejected by: only_the_result_lives_on: Save the arguments
# (lean): "keeps nothing beyond what it was given": silu(a) is saved too
"""silu(a) · b that keeps only its arguments for the backward pass."""

from typing import Any

import torch
from torch import Tensor


class Gated(torch.autograd.Function):
    """a · sigmoid(a) · b."""

    @staticmethod
    def forward(ctx: Any, a: Tensor, b: Tensor) -> Tensor:
        silu = a * a.sigmoid()
        ctx.save_for_backward(a, b)
        ctx.silu = silu
        return silu * b

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor | None, Tensor | None]:
        a, b = ctx.saved_tensors
        s = torch.sigmoid(a)
        return gradient * b * s * (1 + a * (1 - s)), gradient * a * s + 0 * ctx.silu


def gated(a: Tensor, b: Tensor) -> Tensor:
    """a · sigmoid(a) · b, element by element."""
    return Gated.apply(a, b)
