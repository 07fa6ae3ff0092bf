# earns: solved
# unbinds, accumulates and stacks the steps; empty for no steps
"""A leaky sum as an operator of torch's: kernel, fake and autograd."""

from itertools import accumulate
from typing import Any

import torch
from torch import Tensor


@torch.library.custom_op("learn::decay", mutates_args=())
def decay(x: Tensor, rate: float) -> Tensor:
    """y[t] = rate · y[t − 1] + x[t] along the last axis."""
    steps = list(accumulate(x.unbind(-1), lambda state, new: torch.add(new, state, alpha=rate)))
    return torch.stack(steps, dim=-1) if steps else x.new_empty(x.shape)


@decay.register_fake
def _(x: Tensor, rate: float) -> Tensor:
    return x.new_empty(x.shape)


def remember(ctx: Any, inputs: tuple, output: Tensor) -> None:
    ctx.rate = inputs[1]


def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor, None]:
    return decay(gradient.flip(-1), ctx.rate).flip(-1), None


decay.register_autograd(backward, setup_context=remember)
