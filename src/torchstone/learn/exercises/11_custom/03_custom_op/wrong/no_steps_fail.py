# rejected by: values_are_right: An index points past the end
# 'even where nothing is to be done (… no steps)' and 'empty tensors': x[..., 0] of an empty axis raises
"""A leaky sum as an operator of torch's: kernel, fake and autograd."""

from typing import Any

import torch
from torch import Tensor


@torch.library.custom_op("learn::decay", mutates_args=())
def decay(x: Tensor, rate: float) -> Tensor:
    """y[t] = rate · y[t − 1] + x[t] along the last axis."""
    y = torch.empty(x.shape, dtype=x.dtype, device=x.device)
    y[..., 0] = x[..., 0]
    for t in range(1, x.shape[-1]):
        y[..., t] = rate * y[..., t - 1] + x[..., t]
    return y


@decay.register_fake
def _(x: Tensor, rate: float) -> Tensor:
    return torch.empty_like(x, memory_format=torch.contiguous_format)


def _setup(ctx: Any, inputs: tuple[Tensor, float], output: Tensor) -> None:
    ctx.rate = inputs[1]


def _backward(ctx: Any, gradient: Tensor) -> tuple[Tensor, None]:
    return decay(gradient.flip(-1), ctx.rate).flip(-1), None


decay.register_autograd(_backward, setup_context=_setup)
