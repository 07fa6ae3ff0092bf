# rejected by: values_are_right: y[t] = rate · y[t −
# rate^t · cumsum(x / rate^t): powers of 0.5 underflow after a thousand steps (NaN), and the rate 0 divides by 0;
# breaks 'y[t] = rate · y[t − 1] + x[t]' for rate 0.0 or 2,000 steps
"""A leaky sum as an operator of torch's: kernel, fake and autograd."""

from typing import Any

import torch
from torch import Tensor


@torch.library.custom_op("learn::decay", mutates_args=())
def decay(x: Tensor, rate: float) -> Tensor:
    """y[t] = rate · y[t − 1] + x[t] along the last axis."""
    powers = rate ** torch.arange(x.shape[-1], dtype=x.dtype, device=x.device)
    return (torch.cumsum(x / powers, dim=-1) * powers).contiguous()


@decay.register_fake
def _(x: Tensor, rate: float) -> Tensor:
    return torch.empty_like(x, memory_format=torch.contiguous_format)


def _remember(ctx: Any, inputs: tuple[Tensor, float], output: Tensor) -> None:
    ctx.rate = inputs[1]


def _backward(ctx: Any, gradient: Tensor) -> tuple[Tensor, None]:
    return decay(gradient.flip(-1), ctx.rate).flip(-1), None


decay.register_autograd(_backward, setup_context=_remember)
