# rejected by: fake_and_kernel_agree: The fake must give what the kernel gives: the same
# '**a fake**: what comes out as far as shape, dtype, device *and strides* go': one step keeps the strides of x
"""A leaky sum as an operator of torch's: kernel, fake and autograd."""

from typing import Any

import torch
from torch import Tensor


@torch.library.custom_op("learn::decay", mutates_args=())
def decay(x: Tensor, rate: float) -> Tensor:
    """y[t] = rate · y[t − 1] + x[t] along the last axis."""
    # Strides as in the fake: contiguous, whatever x is. A clone: an operator may not return its argument.
    if x.shape[-1] == 1:
        return x.clone()
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
