# earns: solved lean
# addcmul for the slope, both products spelled out with torch.mul
"""silu(a) · b that keeps only its arguments for the backward pass."""

from typing import Any

import torch
from torch import Tensor


class Gated(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, a: Tensor, b: Tensor) -> Tensor:
        ctx.save_for_backward(a, b)
        return torch.mul(torch.mul(a, torch.sigmoid(a)), b)

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor | None, Tensor | None]:
        a, b = ctx.saved_tensors
        s = torch.sigmoid(a)
        slope = torch.addcmul(s, a, s * (1 - s))
        return torch.mul(gradient * b, slope), torch.mul(gradient, a * s)


def gated(a: Tensor, b: Tensor) -> Tensor:
    """a · sigmoid(a) · b, element by element."""
    return Gated.apply(a, b)
