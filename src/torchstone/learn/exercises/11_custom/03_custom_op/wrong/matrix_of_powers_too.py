# rejected by: values_are_right: What is no number reaches later steps of its own row
# "a NaN or an infinity in x reaches no step before its own": multiplies by a matrix with zeros, so NaN and infinity
# reach all steps
"""A leaky sum as an operator of torch's: kernel, fake and autograd."""

from typing import Any

import torch
from torch import Tensor


@torch.library.custom_op("learn::decay", mutates_args=())
def decay(x: Tensor, rate: float) -> Tensor:
    """y[t] = rate · y[t − 1] + x[t] along the last axis."""
    steps = torch.arange(x.shape[-1], device=x.device)
    distance = steps - steps[:, None]
    powers = torch.where(distance >= 0, rate ** distance.clamp(min=0).to(x.dtype), 0)
    return (x @ powers).contiguous()


@decay.register_fake
def _(x: Tensor, rate: float) -> Tensor:
    return torch.empty_like(x, memory_format=torch.contiguous_format)


def remember(ctx: Any, inputs: tuple, output: Tensor) -> None:
    ctx.rate = inputs[1]


def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor, None]:
    return decay(gradient.flip(-1), ctx.rate).flip(-1), None


decay.register_autograd(backward, setup_context=remember)
