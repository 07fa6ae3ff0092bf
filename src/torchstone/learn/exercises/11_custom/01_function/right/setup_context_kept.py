# earns: solved lean
# setup_context, silu, and only the gradients that are needed
"""silu(a) · b that keeps only its arguments for the backward pass: forward and bookkeeping apart."""

from typing import Any

import torch
from torch import Tensor
from torch.nn.functional import silu


class Gated(torch.autograd.Function):
    """a · sigmoid(a) · b."""

    @staticmethod
    def forward(a: Tensor, b: Tensor) -> Tensor:
        return silu(a).mul_(b)

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Tensor, Tensor], output: Tensor) -> None:
        ctx.save_for_backward(*inputs)

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor | None, Tensor | None]:
        a, b = ctx.saved_tensors
        grad_a = grad_b = None
        if ctx.needs_input_grad[0]:
            up, down = torch.sigmoid(a), torch.sigmoid(-a)
            grad_a = gradient * b * (up + a * up * down)
        if ctx.needs_input_grad[1]:
            grad_b = gradient * silu(a)
        return grad_a, grad_b


def gated(a: Tensor, b: Tensor) -> Tensor:
    """a · sigmoid(a) · b, element by element."""
    return Gated.apply(a, b)
