# earns: solved
# a list of steps that is stacked; registrations by name
"""A leaky sum as an operator of torch's: kernel, fake and autograd."""

from typing import Any

import torch
from torch import Tensor


def _kernel(x: torch.Tensor, rate: float) -> torch.Tensor:
    """y[t] = rate · y[t − 1] + x[t] along the last axis."""
    steps: list[Tensor] = []
    for now in x.unbind(-1):
        steps.append(torch.add(now, steps[-1], alpha=rate) if steps else now)
    return torch.stack(steps, dim=-1) if steps else x.new_empty(x.shape)


decay = torch.library.custom_op("learn::decay", _kernel, mutates_args=())
torch.library.register_fake("learn::decay", lambda x, rate: x.new_empty(x.shape))


class _Autograd:
    @staticmethod
    def setup(ctx: Any, inputs: tuple[Any, ...], output: Tensor) -> None:
        _, ctx.rate = inputs

    @staticmethod
    def back(ctx: Any, gradient: Tensor) -> tuple[Tensor, None]:
        turned = torch.flip(gradient, dims=(-1,))
        return torch.flip(torch.ops.learn.decay(turned, ctx.rate), dims=(-1,)), None


torch.library.register_autograd("learn::decay", _Autograd.back, setup_context=_Autograd.setup)
