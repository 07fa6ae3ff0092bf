# rejected by: changes_in_place_are_noticed: ctx.save_for_backward remembers a tensor's version and refuses a
# 'between forward and backward nothing lives but the result': both derivatives are worked out in forward and saved
"""silu(a) · b that keeps only its arguments for the backward pass."""

from typing import Any

import torch
from torch import Tensor


class Gated(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, a: Tensor, b: Tensor) -> Tensor:
        with torch.enable_grad():
            s = a.sigmoid()
            for_a = b * s * (1 + a * (1 - s))
            for_b = a * s
        ctx.save_for_backward(for_a, for_b)
        return for_b.detach() * b

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor, Tensor]:
        for_a, for_b = ctx.saved_tensors
        return gradient * for_a, gradient * for_b


def gated(a: Tensor, b: Tensor) -> Tensor:
    """a · sigmoid(a) · b, element by element."""
    return Gated.apply(a, b)
