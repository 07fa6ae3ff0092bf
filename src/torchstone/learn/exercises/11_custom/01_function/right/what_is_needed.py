# earns: solved lean
# asks needs_input_grad, and the derivative as s + silu · (1 − s)
"""silu(a) · b that keeps only its arguments for the backward pass."""

from typing import Any

import torch
from torch import Tensor


class Gated(torch.autograd.Function):
    """a · sigmoid(a) · b."""

    @staticmethod
    def forward(ctx: Any, a: Tensor, b: Tensor) -> Tensor:
        ctx.save_for_backward(a, b)
        return torch.nn.functional.silu(a).mul_(b)

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor | None, Tensor | None]:
        a, b = ctx.saved_tensors
        for_a = for_b = None
        s = torch.sigmoid(a)
        silu = s * a
        if ctx.needs_input_grad[0]:
            for_a = gradient * (b * torch.addcmul(s, silu, 1 - s))
        if ctx.needs_input_grad[1]:
            for_b = silu * gradient
        return for_a, for_b


def gated(a: Tensor, b: Tensor) -> Tensor:
    """a · sigmoid(a) · b, element by element."""
    return Gated.apply(a, b)
