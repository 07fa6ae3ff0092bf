# rejected by: fake_and_kernel_agree: The fake must give what the kernel gives: the same
# for rate 0 the kernel gives the strides of x, and the fake says contiguous; '**a fake**: what comes out as far as
# shape, dtype, device *and strides* go'
"""A leaky sum as an operator of torch's: kernel, fake and autograd."""

from typing import Any

import torch
from torch import Tensor


@torch.library.custom_op("learn::decay", mutates_args=())
def decay(x: Tensor, rate: float) -> Tensor:
    """y[t] = rate · y[t − 1] + x[t] along the last axis."""
    if rate == 0:
        return x.clone()
    y = x.clone(memory_format=torch.contiguous_format)
    for t in range(1, x.shape[-1]):
        y[..., t] += rate * y[..., t - 1]
    return y


@decay.register_fake
def _(x: Tensor, rate: float) -> Tensor:
    return torch.empty_like(x, memory_format=torch.contiguous_format)


def remember(ctx: Any, inputs: tuple[Tensor, float], output: Tensor) -> None:
    """The rate is all that the gradient needs."""
    ctx.rate = inputs[1]


def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor, None]:
    """The same sum, from the end to the beginning."""
    return decay(gradient.flip(-1), ctx.rate).flip(-1), None


decay.register_autograd(backward, setup_context=remember)
