# earns: solved
# rows gathered in a list and stacked; registrations by name through torch.library
"""A leaky sum as an operator of torch's: kernel, fake and autograd."""

from typing import Any

import torch
from torch import Tensor


@torch.library.custom_op("learn::decay", mutates_args=())
def decay(x: Tensor, rate: float) -> Tensor:
    steps = []
    for value in x.unbind(-1):
        steps.append(value if not steps else value + rate * steps[-1])
    if not steps:
        return x.new_empty(x.shape)
    return torch.stack(steps, dim=-1)


@torch.library.register_fake("learn::decay")
def decay_fake(x: Tensor, rate: float) -> Tensor:
    return x.new_empty(x.shape)


def decay_setup(ctx: Any, inputs: tuple[Tensor, float], output: Tensor) -> None:
    _, ctx.rate = inputs


def decay_backward(ctx: Any, gradient: Tensor) -> tuple[Tensor, None]:
    backwards = torch.flip(gradient, dims=(-1,))
    return torch.flip(decay(backwards, ctx.rate), dims=(-1,)), None


torch.library.register_autograd("learn::decay", decay_backward, setup_context=decay_setup)
