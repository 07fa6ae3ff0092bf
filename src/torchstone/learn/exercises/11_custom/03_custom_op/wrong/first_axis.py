# rejected by: values_are_right: y[t] = rate · y[t − 1] + x[t], and y[0] = x[0]
# 'along the last axis': the sum runs along the first one of a tensor with two axes
"""A leaky sum as an operator of torch's: kernel, fake and autograd."""

from typing import Any

import torch
from torch import Tensor


@torch.library.custom_op("learn::decay", mutates_args=())
def decay(x: Tensor, rate: float) -> Tensor:
    """y[t] = rate · y[t − 1] + x[t] along the last axis."""
    y = x.clone(memory_format=torch.contiguous_format)
    for t in range(1, x.shape[0]):
        y[t] += rate * y[t - 1]
    return y


@decay.register_fake
def _(x: Tensor, rate: float) -> Tensor:
    return torch.empty_like(x, memory_format=torch.contiguous_format)


def _setup(ctx: Any, inputs: tuple[Tensor, float], output: Tensor) -> None:
    ctx.rate = inputs[1]


def _backward(ctx: Any, gradient: Tensor) -> tuple[Tensor, None]:
    return decay(gradient.flip(0), ctx.rate).flip(0), None


decay.register_autograd(_backward, setup_context=_setup)
