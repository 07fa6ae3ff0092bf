# earns: solved
# works in memory with time first and returns it with the axis moved; the fake has the same strides
"""A leaky sum as an operator of torch's: kernel, fake and autograd."""

from typing import Any

import torch
from torch import Tensor


@torch.library.custom_op("learn::decay", mutates_args=())
def decay(x: Tensor, rate: float) -> Tensor:
    """y[t] = rate · y[t − 1] + x[t] along the last axis."""
    steps = x.movedim(-1, 0).clone(memory_format=torch.contiguous_format)
    for before, now in zip(steps[:-1], steps[1:]):
        now.add_(before, alpha=rate)
    return steps.movedim(0, -1)


@decay.register_fake
def _(x: Tensor, rate: float) -> Tensor:
    *rest, time = x.shape
    return torch.empty((time, *rest), dtype=x.dtype, device=x.device).movedim(0, -1)


def remember(ctx: Any, inputs: tuple, output: Tensor) -> None:
    ctx.rate = inputs[1]


def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor, None]:
    return torch.flip(decay(torch.flip(gradient, (-1,)), ctx.rate), (-1,)), None


decay.register_autograd(backward, setup_context=remember)
