# earns: solved
# custom_op called as a function, the kernel by accumulate and stack, new_empty as the fake
"""A leaky sum as an operator of torch's: kernel, fake and autograd."""

from itertools import accumulate
from typing import Any

import torch
from torch import Tensor


def _kernel(x: Tensor, rate: float) -> Tensor:
    if x.shape[-1] == 0:
        return x.new_empty(x.shape)
    steps = accumulate(x.unbind(-1), lambda y, new: torch.add(new, y, alpha=rate))
    return torch.stack(list(steps), dim=-1)


def _fake(x: Tensor, rate: float) -> Tensor:
    return x.new_empty(x.shape)


def _keep(ctx: Any, inputs: tuple[Tensor, float], output: Tensor) -> None:
    _, ctx.rate = inputs


def _backward(ctx: Any, gradient: Tensor) -> tuple[Tensor, None]:
    back_to_front = torch.flip(gradient, dims=(-1,))
    return torch.flip(decay(back_to_front, ctx.rate), dims=(-1,)), None


decay = torch.library.custom_op("learn::decay", _kernel, mutates_args=())
torch.library.register_fake("learn::decay", _fake)
torch.library.register_autograd("learn::decay", _backward, setup_context=_keep)
