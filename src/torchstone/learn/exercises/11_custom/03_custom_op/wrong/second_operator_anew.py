# rejected by: it_is_an_operator: The backward needs no operator of its own
# registers learn::decay_backward for the backward pass; breaks '`learn::decay` is the only operator under
# `learn::`: the backward needs none of its own'
"""A leaky sum as an operator of torch's: kernel, fake and autograd."""

from typing import Any

import torch
from torch import Tensor


@torch.library.custom_op("learn::decay", mutates_args=())
def decay(x: Tensor, rate: float) -> Tensor:
    """y[t] = rate · y[t − 1] + x[t] along the last axis."""
    y = x.clone(memory_format=torch.contiguous_format)
    for t in range(1, y.shape[-1]):
        y[..., t] += rate * y[..., t - 1]
    return y


@decay.register_fake
def _(x: Tensor, rate: float) -> Tensor:
    return torch.empty_like(x, memory_format=torch.contiguous_format)


@torch.library.custom_op("learn::decay_backward", mutates_args=())
def decay_backward(gradient: Tensor, rate: float) -> Tensor:
    """h[t] = g[t] + rate · h[t + 1] along the last axis."""
    h = gradient.clone(memory_format=torch.contiguous_format)
    for t in range(h.shape[-1] - 2, -1, -1):
        h[..., t] += rate * h[..., t + 1]
    return h


@decay_backward.register_fake
def _(gradient: Tensor, rate: float) -> Tensor:
    return torch.empty_like(gradient, memory_format=torch.contiguous_format)


def _remember(ctx: Any, inputs: tuple[Tensor, float], output: Tensor) -> None:
    ctx.rate = inputs[1]


def _backward(ctx: Any, gradient: Tensor) -> tuple[Tensor, None]:
    return decay_backward(gradient, ctx.rate), None


decay.register_autograd(_backward, setup_context=_remember)
decay_backward.register_autograd(lambda ctx, gradient: (decay(gradient, ctx.rate), None), setup_context=_remember)
