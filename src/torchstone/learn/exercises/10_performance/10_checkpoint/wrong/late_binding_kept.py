# rejected by: runs_are_right: torch.autograd.backward(result, gradient) also reaches the parameters
# all segments share one closure over the loop's variable, so in the backward pass each computes the last one again
"""Checkpointing: trade computing time for memory."""

import math
from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import Tensor


class Checkpoint(torch.autograd.Function):
    """Keeps x and the state of the generator; `anchor` makes the result need a gradient where x needs none."""

    @staticmethod
    def forward(ctx: Any, function: Callable[[Tensor], Tensor], x: Tensor, anchor: Tensor) -> Tensor:
        ctx.function = function
        ctx.state = torch.get_rng_state()
        ctx.save_for_backward(x)
        return function(x)

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> tuple[None, Tensor | None, None]:
        (x,) = ctx.saved_tensors
        here = torch.get_rng_state()
        try:
            torch.set_rng_state(ctx.state)
            x = x.detach().requires_grad_(ctx.needs_input_grad[1])
            with torch.enable_grad():
                result = ctx.function(x)
            torch.autograd.backward(result, gradient)
        finally:
            torch.set_rng_state(here)
        return None, x.grad, None


def checkpoint(function: Callable[[Tensor], Tensor], x: Tensor) -> Tensor:
    """`function(x)`, computed again in the backward pass instead of kept."""
    return Checkpoint.apply(function, x, torch.empty((), requires_grad=True))


def chain(layers: Sequence[Callable[[Tensor], Tensor]]) -> Callable[[Tensor], Tensor]:
    """The layers as one function."""

    def function(x: Tensor) -> Tensor:
        for layer in layers:
            x = layer(x)
        return x

    return function


def run(layers: Sequence[Callable[[Tensor], Tensor]], x: Tensor) -> Tensor:
    """All layers one after the other, in memory that grows with the square root of their number."""
    size = math.isqrt(len(layers))
    for start in range(0, len(layers), size):
        segment = layers[start : start + size]
        x = checkpoint(lambda value: chain(segment)(value), x)
    return x
