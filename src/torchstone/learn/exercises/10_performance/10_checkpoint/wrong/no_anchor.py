# rejected by: gradients_are_right: A Function's result needs a gradient if one of its tensor arguments do
# nothing in the Function needs a gradient if x does not, so parameters get none (the result has no grad_fn); breaks
# 'If x itself needs no gradient, its parameters still get theirs'
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
        ctx.state = torch.get_rng_state()
        ctx.save_for_backward(x)
        return function(x)

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor | None, ...]:
        (x,) = ctx.saved_tensors
        found = torch.get_rng_state()
        torch.set_rng_state(ctx.state)
        try:
            with torch.enable_grad():
                inner = x.detach().requires_grad_(ctx.needs_input_grad[1])
                out = ctx.function(inner)
            if out.requires_grad:
                torch.autograd.backward(out, gradient)
        finally:
            torch.set_rng_state(found)
        return None, inner.grad, None


def checkpoint(function: Callable[[Tensor], Tensor], x: Tensor) -> Tensor:
    """`function(x)`, computed again in the backward pass instead of kept."""
    return _Again.apply(function, x, torch.empty(0))


def run(layers: Sequence[Callable[[Tensor], Tensor]], x: Tensor) -> Tensor:
    """All layers one after the other, in memory that grows with the square root of their number."""
    length = math.ceil(math.sqrt(len(layers)))
    for begin in range(0, len(layers), length):

        def segment(x: Tensor, part: Sequence[Callable[[Tensor], Tensor]] = layers[begin : begin + length]) -> Tensor:
            for layer in part:
                x = layer(x)
            return x

        x = checkpoint(segment, x)
    return x
