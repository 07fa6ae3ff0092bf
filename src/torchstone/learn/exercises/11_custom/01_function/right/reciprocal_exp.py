# earns: solved lean
# 1 − s as the sigmoid of −a, torch.mul and addcmul
"""silu(a) · b that keeps only its arguments for the backward pass."""

from typing import Any

import torch
from torch import Tensor


class Gated(torch.autograd.Function):
    """a · sigmoid(a) · b."""

    @staticmethod
    def forward(ctx: Any, a: Tensor, b: Tensor) -> Tensor:
        ctx.save_for_backward(a, b)
        result = torch.sigmoid(a)
        result *= a
        result *= b
        return result

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor | None, Tensor | None]:
        a, b = ctx.saved_tensors
        s, rest = torch.sigmoid(a), torch.sigmoid(-a)
        inner = torch.addcmul(torch.ones_like(a), a, rest)
        passed = gradient.mul(s)
        return passed.mul(b).mul(inner), passed.mul(a)


def gated(a: Tensor, b: Tensor) -> Tensor:
    """a · sigmoid(a) · b, element by element."""
    return Gated.apply(a, b)
