# earns: solved lean
# the newer form with setup_context, gradients only where they are needed, silu from torch.nn.functional
"""silu(a) · b that keeps only its arguments for the backward pass."""

from typing import Any

import torch
from torch import Tensor
from torch.nn import functional


class Gated(torch.autograd.Function):
    @staticmethod
    def forward(a: Tensor, b: Tensor) -> Tensor:
        return functional.silu(a) * b

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Tensor, Tensor], output: Tensor) -> None:
        ctx.save_for_backward(*inputs)

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor | None, Tensor | None]:
        a, b = ctx.saved_tensors
        for_a = for_b = None
        s = torch.sigmoid(a)
        if ctx.needs_input_grad[0]:
            for_a = gradient * b * (s + a * s * (1 - s))
        if ctx.needs_input_grad[1]:
            for_b = gradient * functional.silu(a)
        return for_a, for_b


def gated(a: Tensor, b: Tensor) -> Tensor:
    """a · sigmoid(a) · b, element by element."""
    return Gated.apply(a, b)
