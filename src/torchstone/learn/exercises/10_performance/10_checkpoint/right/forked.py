# earns: solved lean
# fork_rng around the second computation, reduce over slices of layers, a sum with the gradient as the loss
"""Checkpointing: trade computing time for memory."""

import functools
import math
from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import Tensor

Layer = Callable[[Tensor], Tensor]


class Twice(torch.autograd.Function):
    """Computes now without a graph, and later with one."""

    @staticmethod
    def forward(_key: Tensor, x: Tensor, function: Layer, _state: Tensor) -> Tensor:
        return function(x)

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple, output: Tensor) -> None:
        _, x, ctx.function, ctx.state = inputs
        ctx.save_for_backward(x)

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor | None, ...]:
        leaf = ctx.saved_tensors[0].detach()
        leaf.requires_grad = ctx.needs_input_grad[1]
        with torch.random.fork_rng(devices=[]), torch.enable_grad():
            torch.set_rng_state(ctx.state)
            output = ctx.function(leaf)
        if output.requires_grad:
            output.backward(grad)
        return None, leaf.grad, None, None


def checkpoint(function: Layer, x: Tensor) -> Tensor:
    """`function(x)`, computed again in the backward pass instead of kept."""
    key = torch.zeros((), requires_grad=True)
    return Twice.apply(key, x, function, torch.get_rng_state())


def chain(layers: Sequence[Layer], x: Tensor) -> Tensor:
    """One after the other."""
    return functools.reduce(lambda value, layer: layer(value), layers, x)


def run(layers: Sequence[Layer], x: Tensor) -> Tensor:
    """All layers one after the other, in memory that grows with the square root of their number."""
    size = math.ceil(math.sqrt(len(layers))) or 1
    pieces = [functools.partial(chain, layers[i : i + size]) for i in range(0, len(layers), size)]
    return functools.reduce(lambda value, piece: checkpoint(piece, value), pieces, x)
