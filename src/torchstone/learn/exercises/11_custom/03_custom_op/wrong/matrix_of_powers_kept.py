# rejected by: values_are_right: What is no number reaches later steps of
# the product with a matrix of powers carries a NaN or an infinity to the steps before it, as 0 times NaN
"""A leaky sum as an operator of torch's: kernel, fake and autograd."""

from typing import Any

import torch
from torch import Tensor


@torch.library.custom_op("learn::decay", mutates_args=())
def decay(x: Tensor, rate: float) -> Tensor:
    """y[t] = rate · y[t − 1] + x[t] along the last axis."""
    steps = torch.arange(x.shape[-1], dtype=x.dtype, device=x.device)
    powers = torch.triu(rate ** (steps - steps[:, None]).clamp(min=0))
    return (x @ powers).contiguous()


@decay.register_fake
def _(x: Tensor, rate: float) -> Tensor:
    return torch.empty_like(x, memory_format=torch.contiguous_format)


def remember(ctx: Any, inputs: tuple[Tensor, float], output: Tensor) -> None:
    """The rate is all that the backward pass needs."""
    ctx.rate = inputs[1]


def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor, None]:
    """The same sum from the end to the beginning."""
    return decay(gradient.flip(-1), ctx.rate).flip(-1), None


decay.register_autograd(backward, setup_context=remember)
