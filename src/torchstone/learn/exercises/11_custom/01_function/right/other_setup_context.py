# earns: solved lean
# setup_context apart from forward, gradients only where they are needed
"""silu(a) · b that keeps only its arguments for the backward pass."""

from typing import Any

import torch
from torch import Tensor
from torch.nn import functional


class Gated(torch.autograd.Function):
    """a · sigmoid(a) · b."""

    @staticmethod
    def forward(a: Tensor, b: Tensor) -> Tensor:
        return functional.silu(a).mul_(b)

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Tensor, Tensor], output: Tensor) -> None:
        ctx.save_for_backward(*inputs)

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor | None, Tensor | None]:
        a, b = ctx.saved_tensors
        for_a, for_b = ctx.needs_input_grad
        s = torch.special.expit(a)
        silu = a * s
        grad_a = gradient * b * (s + silu * torch.special.expit(-a)) if for_a else None
        grad_b = gradient * silu if for_b else None
        return grad_a, grad_b


def gated(a: Tensor, b: Tensor) -> Tensor:
    """a · sigmoid(a) · b, element by element."""
    return Gated.apply(a, b)
