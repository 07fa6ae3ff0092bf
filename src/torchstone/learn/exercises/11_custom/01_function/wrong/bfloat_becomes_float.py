# rejected by: values_are_right: a · sigmoid(a) · b
# computes in float32 and does not go back: a float16 or float64 argument gives a float32 result; breaks 'a ·
# sigmoid(a) · b' of arguments of one floating dtype, gated(a.double(), b.double())
"""silu(a) · b that keeps only its arguments for the backward pass."""

from typing import Any

import torch
from torch import Tensor
from torch.nn.functional import silu


class Gated(torch.autograd.Function):
    """a · sigmoid(a) · b."""

    @staticmethod
    def forward(ctx: Any, a: Tensor, b: Tensor) -> Tensor:
        ctx.save_for_backward(a, b)
        return silu(a.float()) * b.float()

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor | None, Tensor | None]:
        a, b = ctx.saved_tensors
        grad_a = grad_b = None
        if ctx.needs_input_grad[0]:
            share = torch.sigmoid(a)
            slope = share + a * share * torch.sigmoid(-a)
            grad_a = gradient * b * slope
        if ctx.needs_input_grad[1]:
            grad_b = gradient * silu(a)
        return grad_a, grad_b


def gated(a: Tensor, b: Tensor) -> Tensor:
    """a · sigmoid(a) · b, element by element."""
    return Gated.apply(a, b)
