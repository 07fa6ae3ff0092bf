# rejected by: changes_in_place_are_noticed: ctx.save_for_backward remembers a tensor's version and refuses a chang
# keeps a and b as attributes of ctx: a change in place between forward and backward goes unnoticed; breaks 'a
# change in place is noticed'
"""silu(a) · b that keeps only its arguments for the backward pass."""

from typing import Any

import torch
from torch import Tensor
from torch.nn.functional import silu


class Gated(torch.autograd.Function):
    """a · sigmoid(a) · b."""

    @staticmethod
    def forward(ctx: Any, a: Tensor, b: Tensor) -> Tensor:
        ctx.kept = a, b
        return silu(a) * b

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor | None, Tensor | None]:
        a, b = ctx.kept
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
