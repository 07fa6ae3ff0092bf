# earns: solved lean
# setup_context, fork_rng and reduce
"""Checkpointing: trade computing time for memory."""

import functools
import math
from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import Tensor


class _Chain:
    """Several layers as one function."""

    def __init__(self, layers: Sequence[Callable[[Tensor], Tensor]]) -> None:
        self.layers = layers

    def __call__(self, x: Tensor) -> Tensor:
        return functools.reduce(lambda value, layer: layer(value), self.layers, x)


class _Recompute(torch.autograd.Function):
    @staticmethod
    def forward(x: Tensor, handle: Tensor, function: Callable[[Tensor], Tensor], state: Tensor) -> Tensor:
        return function(x)

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Any, ...], output: Tensor) -> None:
        x, _, ctx.function, ctx.state = inputs
        ctx.save_for_backward(x)

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor | None, ...]:
        (kept,) = ctx.saved_tensors
        x = kept.detach()
        if ctx.needs_input_grad[0]:
            x.requires_grad_()
        with torch.random.fork_rng(devices=[]):
            torch.set_rng_state(ctx.state)
            with torch.enable_grad():
                again = ctx.function(x)
            again.backward(gradient)
        return x.grad, None, None, None


def checkpoint(function: Callable[[Tensor], Tensor], x: Tensor) -> Tensor:
    """`function(x)`, computed again in the backward pass instead of kept."""
    handle = torch.zeros((), requires_grad=True)
    return _Recompute.apply(x, handle, function, torch.get_rng_state())


def run(layers: Sequence[Callable[[Tensor], Tensor]], x: Tensor) -> Tensor:
    """All layers one after the other, in memory that grows with the square root of their number."""
    layers = list(layers)
    length = math.isqrt(len(layers))
    segments = [_Chain(layers[i : i + length]) for i in range(0, len(layers), length)]
    return functools.reduce(lambda value, segment: checkpoint(segment, value), segments, x)
