# earns: solved lean
# fork_rng, a closure instead of arguments, functools.reduce for the segments
"""Checkpointing: trade computing time for memory."""

import math
from collections.abc import Callable, Sequence
from functools import reduce
from typing import Any

import torch
from torch import Tensor


class _Twice(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: Tensor, anchor: Tensor, function: Callable[[Tensor], Tensor]) -> Tensor:
        ctx.save_for_backward(x, torch.get_rng_state())
        ctx.again = function
        return function(x.detach())

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor | None, None, None]:
        x, state = ctx.saved_tensors
        leaf = x.detach()
        leaf.requires_grad = ctx.needs_input_grad[0]
        with torch.random.fork_rng(devices=[]), torch.enable_grad():
            torch.set_rng_state(state)
            ctx.again(leaf).backward(*gradients)
        return leaf.grad, None, None


def checkpoint(function: Callable[[Tensor], Tensor], x: Tensor) -> Tensor:
    """`function(x)`, computed again in the backward pass instead of kept."""
    return _Twice.apply(x, torch.zeros((), requires_grad=True), function)


class _Segment:
    def __init__(self, layers: list[Callable[[Tensor], Tensor]]) -> None:
        self.layers = layers

    def __call__(self, x: Tensor) -> Tensor:
        return reduce(lambda signal, layer: layer(signal), self.layers, x)


def run(layers: Sequence[Callable[[Tensor], Tensor]], x: Tensor) -> Tensor:
    """All layers one after the other, in memory that grows with the square root of their number."""
    every, width = list(layers), math.ceil(len(layers) ** 0.5)
    segments = [_Segment(every[place : place + width]) for place in range(0, len(every), width)]
    return reduce(lambda signal, segment: checkpoint(segment, signal), segments, x)
