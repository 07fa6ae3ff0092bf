# rejected by: gradients_have_gradients: The backward goes through operations that autograd knows:
# the backward pass detaches its gradient, so that the gradient has no gradient
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


def remember(ctx: Any, inputs: tuple[Tensor, float], output: Tensor) -> None:
    """The rate is all that the backward pass needs."""
    ctx.rate = inputs[1]


def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor, None]:
    """The same sum from the end to the beginning."""
    return decay(gradient.detach().flip(-1), ctx.rate).flip(-1), None


decay.register_autograd(backward, setup_context=remember)
