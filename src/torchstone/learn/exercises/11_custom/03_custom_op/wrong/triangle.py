# rejected by: values_are_right: What is no number reaches later steps of its own row
# a product with a triangular matrix of powers: a NaN times 0 is NaN, so one in the last step reaches the first;
# breaks 'a NaN or an infinity in x reaches no step before its own'
"""A leaky sum as an operator of torch's: kernel, fake and autograd."""

from typing import Any

import torch
from torch import Tensor


@torch.library.custom_op("learn::decay", mutates_args=())
def decay(x: Tensor, rate: float) -> Tensor:
    """y[t] = rate · y[t − 1] + x[t] along the last axis."""
    steps = torch.arange(x.shape[-1], device=x.device)
    apart = steps[:, None] - steps
    powers = torch.where(apart >= 0, rate ** apart.clamp(min=0).to(x.dtype), 0.0)
    return (x.unsqueeze(-2) * powers).sum(-1).contiguous()


@decay.register_fake
def _(x: Tensor, rate: float) -> Tensor:
    return torch.empty_like(x, memory_format=torch.contiguous_format)


def _remember(ctx: Any, inputs: tuple[Tensor, float], output: Tensor) -> None:
    ctx.rate = inputs[1]


def _backward(ctx: Any, gradient: Tensor) -> tuple[Tensor, None]:
    return decay(gradient.flip(-1), ctx.rate).flip(-1), None


decay.register_autograd(_backward, setup_context=_remember)
