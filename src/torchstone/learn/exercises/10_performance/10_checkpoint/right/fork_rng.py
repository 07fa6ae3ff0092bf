# earns: solved lean
# fork_rng around the second computation, functools for the segments
"""Checkpointing: trade computing time for memory."""

import math
from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import Tensor
from functools import partial, reduce


class Again(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, anchor: Tensor, x: Tensor, function: Callable[[Tensor], Tensor]) -> Tensor:
        ctx.save_for_backward(x)
        ctx.function, ctx.seed_state = function, torch.get_rng_state()
        with torch.no_grad():
            return function(x)

    @staticmethod
    def backward(ctx: Any, gradient: Tensor):
        x = ctx.saved_tensors[0].detach()
        if ctx.needs_input_grad[1]:
            x.requires_grad_()
        with torch.random.fork_rng(devices=[]), torch.enable_grad():
            torch.set_rng_state(ctx.seed_state)
            output = ctx.function(x)
        if output.requires_grad:
            output.backward(gradient)
        return None, x.grad, None


def checkpoint(function: Callable[[Tensor], Tensor], x: Tensor) -> Tensor:
    anchor = torch.zeros((), requires_grad=True)
    return Again.apply(anchor, x, function)


def _through(layers: Sequence[Callable[[Tensor], Tensor]], x: Tensor) -> Tensor:
    return reduce(lambda value, layer: layer(value), layers, x)


def run(layers: Sequence[Callable[[Tensor], Tensor]], x: Tensor) -> Tensor:
    size = math.ceil(math.sqrt(len(layers))) or 1
    segments = [layers[i : i + size] for i in range(0, len(layers), size)]
    return reduce(lambda value, segment: checkpoint(partial(_through, segment), value), segments, x)
