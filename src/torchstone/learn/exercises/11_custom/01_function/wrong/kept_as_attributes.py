# rejected by: changes_in_place_are_noticed: ctx.save_for_backward remembers a tensor
# tensors are kept as attributes, so a change in place between forward and backward goes unnoticed; 'Save tensors with
# `ctx.save_for_backward`, not as `ctx.a = a`'
"""silu(a) · b that keeps only its arguments for the backward pass."""

from typing import Any

import torch
from torch import Tensor


class Gated(torch.autograd.Function):
    """a · sigmoid(a) · b."""

    @staticmethod
    def forward(a: Tensor, b: Tensor) -> Tensor:
        return a * a.sigmoid() * b

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Tensor, Tensor], output: Tensor) -> None:
        ctx.a, ctx.b = inputs

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor | None, Tensor | None]:
        a, b = ctx.a, ctx.b
        s = torch.sigmoid(a)
        return gradient * b * (s + a * s * (1 - s)), gradient * a * s


def gated(a: Tensor, b: Tensor) -> Tensor:
    """a · sigmoid(a) · b, element by element."""
    return Gated.apply(a, b)
