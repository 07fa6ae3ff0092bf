# rejected by: values_are_right: After many steps a power of the rate is 0, and 1 divided by
# a closed form divides by powers of the rate, which become 0 in long tensors; 'y[t] = rate · y[t − 1] + x[t]'
"""A leaky sum as an operator of torch's: kernel, fake and autograd."""

from typing import Any

import torch
from torch import Tensor


@torch.library.custom_op("learn::decay", mutates_args=())
def decay(x: Tensor, rate: float) -> Tensor:
    """y[t] = rate · y[t − 1] + x[t] along the last axis."""
    result = torch.empty(x.shape, dtype=x.dtype, device=x.device)
    if rate == 0:
        return result.copy_(x)
    powers = rate ** torch.arange(x.shape[-1], dtype=x.dtype, device=x.device)
    return result.copy_((x / powers).cumsum(-1) * powers)


@decay.register_fake
def _(x: Tensor, rate: float) -> Tensor:
    return torch.empty(x.shape, dtype=x.dtype, device=x.device)


def remember(ctx: Any, inputs: tuple[Tensor, float], output: Tensor) -> None:
    """Only the rate is needed."""
    ctx.rate = inputs[1]


def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor, None]:
    """A leaky sum from the end to the beginning."""
    return decay(gradient.flip(-1), ctx.rate).flip(-1), None


decay.register_autograd(backward, setup_context=remember)
