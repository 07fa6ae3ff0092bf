# rejected by: second_gradients_are_right: The second gradient goes through backward's own operations
# "Save tensors with ctx.save_for_backward, not as ctx.a = a": a change in place goes unnoticed
"""silu(a) · b that keeps only its arguments for the backward pass."""

from typing import Any

import torch
from torch import Tensor


class Gated(torch.autograd.Function):
    """a · sigmoid(a) · b."""

    @staticmethod
    def forward(a: Tensor, b: Tensor) -> Tensor:
        return torch.sigmoid(a).mul_(a).mul_(b)

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Tensor, Tensor], output: Tensor) -> None:
        ctx.a, ctx.b = (one.detach() for one in inputs)

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor | None, Tensor | None]:
        a, b = ctx.a, ctx.b
        s = torch.sigmoid(a)
        silu = a * s
        return gradient * b * (s + silu * torch.sigmoid(-a)), gradient * silu


def gated(a: Tensor, b: Tensor) -> Tensor:
    """a · sigmoid(a) · b, element by element."""
    return Gated.apply(a, b)
