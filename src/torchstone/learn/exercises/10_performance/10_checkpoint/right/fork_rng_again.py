# earns: solved lean
# fork_rng for the second computation, a callable class for the segments, functools.reduce
"""Checkpointing: trade computing time for memory."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import reduce
from typing import Any

import torch
from torch import Tensor

Layer = Callable[[Tensor], Tensor]


@dataclass
class Segment:
    """Layers that are computed again together."""

    layers: Sequence[Layer]

    def __call__(self, x: Tensor) -> Tensor:
        return reduce(lambda value, layer: layer(value), self.layers, x)


class Recompute(torch.autograd.Function):
    """Keeps x, and where the generator stood."""

    @staticmethod
    def forward(x: Tensor, hook: Tensor, function: Layer, state: Tensor) -> Tensor:
        return function(x.detach())

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Any, ...], output: Tensor) -> None:
        x, _, ctx.function, ctx.state = inputs
        ctx.save_for_backward(x)

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor | None, None, None, None]:
        x = ctx.saved_tensors[0].detach()
        if ctx.needs_input_grad[0]:
            x.requires_grad_()
        with torch.random.fork_rng(devices=[]), torch.enable_grad():
            torch.set_rng_state(ctx.state)
            result = ctx.function(x)
        if result.requires_grad:
            result.backward(gradient)
        return x.grad, None, None, None


def checkpoint(function: Callable[[Tensor], Tensor], x: Tensor) -> Tensor:
    """`function(x)`, computed again in the backward pass instead of kept."""
    hook = torch.zeros((), requires_grad=True)
    return Recompute.apply(x, hook, function, torch.get_rng_state())


def run(layers: Sequence[Callable[[Tensor], Tensor]], x: Tensor) -> Tensor:
    """All layers one after the other, in memory that grows with the square root of their number."""
    size = math.ceil(math.sqrt(len(layers))) or 1
    segments = [Segment(layers[start : start + size]) for start in range(0, len(layers), size)]
    return reduce(lambda value, segment: checkpoint(segment, value), segments, x)
