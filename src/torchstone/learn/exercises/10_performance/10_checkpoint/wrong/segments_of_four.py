# rejected by: memory_grows_with_the_square_root: A segment for each layer keeps every input, one for all computes
# segments of four layers whatever their number, so the memory grows in proportion; "checkpointed in segments such
# that the memory grows with the square root of the number of layers"
"""Checkpointing: trade computing time for memory."""

import math
from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import Tensor


class _Again(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, function: Callable[[Tensor], Tensor], x: Tensor, anchor: Tensor) -> Tensor:
        ctx.function = function
        ctx.before = torch.get_rng_state()
        ctx.save_for_backward(x)
        with torch.no_grad():
            return function(x.detach())

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> tuple[None, Tensor | None, None]:
        (x,) = ctx.saved_tensors
        again = x.detach().requires_grad_(ctx.needs_input_grad[1])
        now = torch.get_rng_state()
        torch.set_rng_state(ctx.before)
        try:
            with torch.enable_grad():
                result = ctx.function(again)
        finally:
            torch.set_rng_state(now)
        if result.requires_grad:
            torch.autograd.backward(result, gradient)
        return None, again.grad, None


def checkpoint(function: Callable[[Tensor], Tensor], x: Tensor) -> Tensor:
    """`function(x)`, computed again in the backward pass instead of kept."""
    return _Again.apply(function, x, torch.empty(0, requires_grad=True))


def _chain(layers: Sequence[Callable[[Tensor], Tensor]]) -> Callable[[Tensor], Tensor]:
    def through(x: Tensor) -> Tensor:
        for layer in layers:
            x = layer(x)
        return x

    return through


def run(layers: Sequence[Callable[[Tensor], Tensor]], x: Tensor) -> Tensor:
    """All layers one after the other, in memory that grows with the square root of their number."""
    size = 4
    for start in range(0, len(layers), size):
        x = checkpoint(_chain(layers[start : start + size]), x)
    return x
