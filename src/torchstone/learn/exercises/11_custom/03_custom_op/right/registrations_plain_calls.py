# earns: solved
# the registrations as plain calls, the kernel by itertools.accumulate
"""A leaky sum as an operator of torch's: kernel, fake and autograd."""

from itertools import accumulate
from typing import Any

import torch
from torch import Tensor


def _kernel(x: Tensor, rate: float) -> Tensor:
    """y[t] = rate · y[t − 1] + x[t] along the last axis."""
    if x.shape[-1] == 0:
        return torch.empty_like(x, memory_format=torch.contiguous_format)
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
