# rejected by: gradients_are_right: changed the gradient that it was given
# changes the incoming gradient in place: in gated(a, b) + c the gradient of c becomes wrong
"""silu(a) · b that keeps only its arguments for the backward pass."""

from typing import Any

import torch
from torch import Tensor


class Gated(torch.autograd.Function):
    """a · sigmoid(a) · b."""

    @staticmethod
    def forward(ctx: Any, a: Tensor, b: Tensor) -> Tensor:
        ctx.save_for_backward(a, b)
        return a * torch.sigmoid(a) * b

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor | None, Tensor | None]:
        a, b = ctx.saved_tensors
        s = torch.sigmoid(a)
        if torch.is_grad_enabled():
            scaled = gradient * s
        else:
            scaled = gradient.mul_(s) if gradient.is_contiguous() else gradient * s
        return scaled * b * (1 + a * (1 - s)), scaled * a


def gated(a: Tensor, b: Tensor) -> Tensor:
    """a · sigmoid(a) · b, element by element."""
    return Gated.apply(a, b)
