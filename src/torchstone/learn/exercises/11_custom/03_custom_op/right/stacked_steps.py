# earns: solved
# the kernel stacks a list of steps and always returns a contiguous tensor
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


def remember(ctx: Any, inputs: tuple[Tensor, float], output: Tensor) -> None:
    """Only the rate is needed."""
    ctx.rate = inputs[1]


def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor, None]:
    """A leaky sum from the end to the beginning."""
    return decay(gradient.flip(-1), ctx.rate).flip(-1), None


decay.register_autograd(backward, setup_context=remember)
