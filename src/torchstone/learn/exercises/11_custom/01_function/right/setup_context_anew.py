# earns: solved lean
# forward without ctx, setup_context, in-place products
"""silu(a) · b that keeps only its arguments for the backward pass."""

from typing import Any

import torch
from torch import Tensor


class Gated(torch.autograd.Function):
    """a · sigmoid(a) · b."""

    @staticmethod
    def forward(a: Tensor, b: Tensor) -> Tensor:
        return a.sigmoid().mul_(a).mul_(b)

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Tensor, Tensor], output: Tensor) -> None:
        ctx.save_for_backward(*inputs)

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor | None, Tensor | None]:
        a, b = ctx.saved_tensors
        s = a.sigmoid()
        return gradient * b * s * (1 + a * (1 - s)), gradient * a * s


def gated(a: Tensor, b: Tensor) -> Tensor:
    """a · sigmoid(a) · b, element by element."""
    return Gated.apply(a, b)
