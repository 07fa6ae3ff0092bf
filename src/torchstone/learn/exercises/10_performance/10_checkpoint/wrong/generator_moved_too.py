# rejected by: gradients_are_right: The recomputation moved the random generator
# "the backward pass leaves it where it finds it": the backward pass leaves the generator where the forward pass had
# it
"""Checkpointing: trade computing time for memory."""

import math
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import torch
from torch import Tensor


class Again(torch.autograd.Function):
    """Computes without a graph, and once more with one when the backward pass comes."""

    @staticmethod
    def forward(ctx: Any, function: Callable[[Tensor], Tensor], hook: Tensor, x: Tensor) -> Tensor:
        ctx.function, ctx.state = function, torch.get_rng_state()
        ctx.save_for_backward(x)
        with torch.no_grad():
            return function(x)

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> Any:
        (x,) = ctx.saved_tensors
        point = x.detach().requires_grad_(ctx.needs_input_grad[2])
        torch.set_rng_state(ctx.state)
        with torch.enable_grad():
            result = ctx.function(point)
        torch.autograd.backward(result, gradient)
        return None, None, point.grad


def checkpoint(function: Callable[[Tensor], Tensor], x: Tensor) -> Tensor:
    """`function(x)`, computed again in the backward pass instead of kept."""
    return Again.apply(function, torch.empty(0, requires_grad=True), x)


def chain(layers: Sequence[Callable[[Tensor], Tensor]], x: Tensor) -> Tensor:
    """The layers one after the other."""
    for layer in layers:
        x = layer(x)
    return x


def run(layers: Sequence[Callable[[Tensor], Tensor]], x: Tensor) -> Tensor:
    """All layers one after the other, in memory that grows with the square root of their number."""
    size = math.isqrt(len(layers))
    for start in range(0, len(layers), size):
        x = checkpoint(partial(chain, layers[start : start + size]), x)
    return x
