# rejected by: gradients_are_right: The gradients come from a and b alone
# keeps the result and divides it by b for the gradient of b: NaN where b is 0 (and the result lives on); breaks
# 'gradient of b = g · a · s' for b = 0
"""silu(a) · b that keeps only its arguments for the backward pass."""

from typing import Any

import torch
from torch import Tensor
from torch.nn.functional import silu


class Gated(torch.autograd.Function):
    """a · sigmoid(a) · b."""

    @staticmethod
    def forward(ctx: Any, a: Tensor, b: Tensor) -> Tensor:
        result = silu(a) * b
        ctx.save_for_backward(a, b, result)
        return result

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor | None, Tensor | None]:
        a, b, result = ctx.saved_tensors
        grad_a = grad_b = None
        if ctx.needs_input_grad[0]:
            share = torch.sigmoid(a)
            slope = share + a * share * torch.sigmoid(-a)
            grad_a = gradient * b * slope
        if ctx.needs_input_grad[1]:
            grad_b = gradient * result / b
        return grad_a, grad_b


def gated(a: Tensor, b: Tensor) -> Tensor:
    """a · sigmoid(a) · b, element by element."""
    return Gated.apply(a, b)
