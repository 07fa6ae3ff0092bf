# rejected by: only_the_result_lives_on: Save the arguments
# "Write it as a torch.autograd.Function": gated() bypasses Gated and lets autograd keep silu(a)
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
        ctx.save_for_backward(*inputs)

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor | None, Tensor | None]:
        a, b = ctx.saved_tensors
        s = torch.sigmoid(a)
        silu = a * s
        return gradient * b * (s + silu * torch.sigmoid(-a)), gradient * silu


def gated(a: Tensor, b: Tensor) -> Tensor:
    """a · sigmoid(a) · b, element by element."""
    return torch.nn.functional.silu(a) * b
