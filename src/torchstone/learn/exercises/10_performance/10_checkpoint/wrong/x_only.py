# rejected by: gradients_are_right: torch.autograd.backward(result
# 'in `x` and in every parameter that `function` uses': torch.autograd.grad is asked for x alone
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
        if not ctx.needs_input_grad[1]:
            return None, None, None
        return None, torch.autograd.grad(y, inner, gradient)[0], None


def checkpoint(function: Callable[[Tensor], Tensor], x: Tensor) -> Tensor:
    return _Checkpoint.apply(function, x, torch.empty(0, requires_grad=True))


class _Segment:
    def __init__(self, layers: Sequence[Callable[[Tensor], Tensor]]) -> None:
        self.layers = layers

    def __call__(self, x: Tensor) -> Tensor:
        for layer in self.layers:
            x = layer(x)
        return x


def run(layers: Sequence[Callable[[Tensor], Tensor]], x: Tensor) -> Tensor:
    size = max(1, math.isqrt(len(layers)))
    for start in range(0, len(layers), size):
        x = checkpoint(_Segment(layers[start : start + size]), x)
    return x
