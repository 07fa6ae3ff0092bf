# rejected by: nothing_but_x_is_kept: Only x is saved
# 'of which nothing but `x` is kept': the graph of the first computation is kept in ctx
"""Checkpointing: trade computing time for memory."""

import math
from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import Tensor


class _Checkpoint(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, function: Callable[[Tensor], Tensor], x: Tensor, dummy: Tensor) -> Tensor:
        with torch.enable_grad():
            ctx.inner = x.detach().requires_grad_(x.requires_grad)
            ctx.y = function(ctx.inner)
        return ctx.y.detach()

    @staticmethod
    def backward(ctx: Any, gradient: Tensor):
        torch.autograd.backward(ctx.y, gradient)
        return None, ctx.inner.grad, None


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
