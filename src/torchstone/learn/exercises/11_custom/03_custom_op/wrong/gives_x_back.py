# rejected by: values_are_right: = rate · y
# with a single step x itself is returned; demanded: "returns a tensor of its own, never x or a view of it, even where
# nothing is to be done (rate 0, one step, no steps)"
"""A leaky sum as an operator of torch's: kernel, fake and autograd."""

from itertools import accumulate
from typing import Any

import torch
from torch import Tensor


def _kernel(x: Tensor, rate: float) -> Tensor:
    """y[t] = rate · y[t − 1] + x[t] along the last axis."""
    if x.shape[-1] == 0:
        return torch.empty_like(x, memory_format=torch.contiguous_format)
    if x.shape[-1] == 1 and x.is_contiguous():
        return x
    sums = accumulate(x.unbind(-1), lambda total, new: torch.add(new, total, alpha=rate))
    return torch.stack(list(sums), dim=-1)


decay = torch.library.custom_op("learn::decay", _kernel, mutates_args=())


def _fake(x: Tensor, rate: float) -> Tensor:
    return torch.empty_like(x, memory_format=torch.contiguous_format)


def _remember(ctx: Any, inputs: tuple[Tensor, float], output: Tensor) -> None:
    ctx.rate = inputs[1]


def _backward(ctx: Any, gradient: Tensor) -> tuple[Tensor, None]:
    return decay(gradient.flip(-1), ctx.rate).flip(-1), None


decay.register_fake(_fake)
decay.register_autograd(_backward, setup_context=_remember)
