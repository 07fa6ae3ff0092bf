# earns: solved
# steps in a list that are stacked, everything registered by the operator's name
"""A leaky sum as an operator of torch's: a list of steps that is stacked."""

from typing import Any

import torch
from torch import Tensor


def leaky_steps(x: Tensor, rate: float) -> Tensor:
    steps = list(x.unbind(-1))
    for t, step in enumerate(steps[1:], start=1):
        steps[t] = torch.add(step, steps[t - 1], alpha=rate)
    return torch.stack(steps, dim=-1) if steps else x.new_empty(x.shape)


decay = torch.library.custom_op("learn::decay", leaky_steps, mutates_args=())


def shape_only(x: Tensor, rate: float) -> Tensor:
    return x.new_empty(x.shape)


def keep_rate(ctx: Any, inputs: tuple[Tensor, float], output: Tensor) -> None:
    _, ctx.leak = inputs


def from_the_end(ctx: Any, gradient: Tensor) -> tuple[Tensor, None]:
    mirrored = torch.flip(gradient, dims=(-1,))
    return torch.flip(torch.ops.learn.decay(mirrored, ctx.leak), dims=(-1,)), None


torch.library.register_fake("learn::decay", shape_only)
torch.library.register_autograd("learn::decay", from_the_end, setup_context=keep_rate)
