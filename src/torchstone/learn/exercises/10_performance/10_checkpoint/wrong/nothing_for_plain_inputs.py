# rejected by: gradients_are_right: A Function
# if x needs no gradient the Function is not part of a graph, and the parameters get nothing; promised: "If `x` itself
# needs no gradient, its parameters still get theirs"
"""Checkpointing: trade computing time for memory."""

import math
from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import Tensor


class _Again(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, function: Callable[[Tensor], Tensor], x: Tensor) -> Tensor:
        ctx.function = function
        ctx.random = torch.get_rng_state()
        ctx.save_for_backward(x)
        with torch.no_grad():
            return function(x)

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> tuple[None, Tensor | None]:
        x = ctx.saved_tensors[0].detach().requires_grad_()
        now = torch.get_rng_state()
        torch.set_rng_state(ctx.random)
        with torch.enable_grad():
            result = ctx.function(x)
        torch.set_rng_state(now)
        torch.autograd.backward(result, gradient)
        return None, x.grad


class _Chain:
    def __init__(self, layers: Sequence[Callable[[Tensor], Tensor]]) -> None:
        self.layers = layers

    def __call__(self, x: Tensor) -> Tensor:
        for layer in self.layers:
            x = layer(x)
        return x


def checkpoint(function: Callable[[Tensor], Tensor], x: Tensor) -> Tensor:
    """`function(x)`, computed again in the backward pass instead of kept."""
    return _Again.apply(function, x)


def run(layers: Sequence[Callable[[Tensor], Tensor]], x: Tensor) -> Tensor:
    """All layers one after the other, in memory that grows with the square root of their number."""
    size = max(1, math.isqrt(len(layers)))
    for first in range(0, len(layers), size):
        x = checkpoint(_Chain(layers[first : first + size]), x)
    return x
