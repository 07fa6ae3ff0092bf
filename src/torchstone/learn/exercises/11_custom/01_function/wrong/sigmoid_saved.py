# rejected by: second_gradients_are_right: The second gradient goes through backward's own operations
# saves sigmoid(a) too, which backward takes for a constant: wrong second gradients (and a third tensor lives);
# breaks 'The gradient must have a gradient itself' and 'keeps nothing beyond what it was given'
"""silu(a) · b that keeps only its arguments for the backward pass."""

from typing import Any

import torch
from torch import Tensor
from torch.nn.functional import silu


class Gated(torch.autograd.Function):
    """a · sigmoid(a) · b."""

    @staticmethod
    def forward(ctx: Any, a: Tensor, b: Tensor) -> Tensor:
        share = torch.sigmoid(a)
        ctx.save_for_backward(a, b, share)
        return a * share * b

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor | None, Tensor | None]:
        a, b, share = ctx.saved_tensors
        grad_a = grad_b = None
        if ctx.needs_input_grad[0]:
            slope = share * (1 + a * (1 - share))
            grad_a = gradient * b * slope
        if ctx.needs_input_grad[1]:
            grad_b = gradient * a * share
        return grad_a, grad_b


def gated(a: Tensor, b: Tensor) -> Tensor:
    """a · sigmoid(a) · b, element by element."""
    return Gated.apply(a, b)
