# rejected by: memory_grows_with_the_square_root: A segment for each layer keeps every input
# 'in segments such that the memory grows with the square root of the number of layers': every layer is its own
# segment, all inputs are kept
"""Checkpointing: trade computing time for memory."""

import math
from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import Tensor


class _Checkpoint(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, function: Callable[[Tensor], Tensor], x: Tensor, dummy: Tensor) -> Tensor:
        ctx.function = function
        ctx.state = torch.get_rng_state()
        ctx.save_for_backward(x)
        return function(x)

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> tuple[None, Tensor | None, None]:
        (x,) = ctx.saved_tensors
        now = torch.get_rng_state()
        torch.set_rng_state(ctx.state)
        with torch.enable_grad():
            inner = x.detach().requires_grad_(ctx.needs_input_grad[1])
            y = ctx.function(inner)
        torch.set_rng_state(now)
        if y.requires_grad:
            torch.autograd.backward(y, gradient)
        return None, inner.grad, None


def checkpoint(function: Callable[[Tensor], Tensor], x: Tensor) -> Tensor:
    return _Checkpoint.apply(function, x, torch.empty(0, requires_grad=True))


def run(layers: Sequence[Callable[[Tensor], Tensor]], x: Tensor) -> Tensor:
    for layer in layers:
        x = checkpoint(layer, x)
    return x
