# earns: solved
# a scan by doubling: log2(n) rounds of shifted sums instead of a loop over all steps, an explicit schema
"""A leaky sum as an operator of torch's: kernel, fake and autograd."""

from typing import Any

import torch
from torch import Tensor


@torch.library.custom_op("learn::decay", mutates_args=(), schema="(Tensor x, float rate) -> Tensor")
def decay(x: Tensor, rate: float) -> Tensor:
    y = x.clone(memory_format=torch.contiguous_format)
    reach = 1
    while reach < x.shape[-1]:
        shifted = y[..., :-reach] * rate
        y[..., reach:] += shifted
        reach, rate = 2 * reach, rate * rate
    return y


@decay.register_fake
def _fake(x: Tensor, rate: float) -> Tensor:
    return torch.empty(x.shape, dtype=x.dtype, device=x.device)


class _Backward:
    @staticmethod
    def remember(ctx: Any, inputs: tuple[Tensor, float], output: Tensor) -> None:
        ctx.rate = inputs[1]

    @staticmethod
    def back(ctx: Any, gradient: Tensor):
        return torch.ops.learn.decay(gradient.flip([-1]), ctx.rate).flip([-1]), None


decay.register_autograd(_Backward.back, setup_context=_Backward.remember)
