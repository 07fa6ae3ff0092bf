# rejected by: changes_in_place_are_noticed: ctx.save_for_backward remembers a tensor's version
# a change of b in place is not noticed; 'Save tensors with `ctx.save_for_backward`, not as `ctx.a = a`: only then
# does autograd notice'
"""silu(a) · b that keeps only its arguments for the backward pass."""

from typing import Any

import torch
from torch import Tensor


class Gated(torch.autograd.Function):
    """a · sigmoid(a) · b."""

    @staticmethod
    def forward(ctx: Any, a: Tensor, b: Tensor) -> Tensor:
        ctx.save_for_backward(a)
        ctx.b = b
        return a * a.sigmoid() * b

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor | None, Tensor | None]:
        (a,), b = ctx.saved_tensors, ctx.b
        s = a.sigmoid()
        return gradient * b * s * (1 + a * (1 - s)), gradient * a * s


def gated(a: Tensor, b: Tensor) -> Tensor:
    """a · sigmoid(a) · b, element by element."""
    return Gated.apply(a, b)
