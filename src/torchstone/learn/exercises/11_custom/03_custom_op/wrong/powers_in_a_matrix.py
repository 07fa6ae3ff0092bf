# rejected by: values_are_right: What is no number reaches later steps of its own row
# a product with the whole matrix of powers; 'So a NaN or an infinity in x reaches no step before its own.'
"""A leaky sum as an operator of torch's: kernel, fake and autograd."""

from typing import Any

import torch
from torch import Tensor


def kernel(x: Tensor, rate: float) -> Tensor:
    steps = torch.arange(x.shape[-1], device=x.device)
    gap = steps - steps[:, None]  # [s, t] = t − s
    powers = torch.where(gap >= 0, torch.pow(float(rate), gap.clamp(min=0).double()), 0.0).to(x.dtype)
    out = torch.empty(x.shape, dtype=x.dtype, device=x.device)
    out.copy_(x @ powers)
    return out


decay = torch.library.custom_op("learn::decay", kernel, mutates_args=())
torch.library.register_fake("learn::decay", lambda x, rate: x.new_empty(x.shape))


def remember(ctx: Any, inputs: tuple[Tensor, float], output: Tensor) -> None:
    _, ctx.rate = inputs


def gradient(ctx: Any, grad: Tensor) -> tuple[Tensor, None]:
    backwards = torch.ops.learn.decay(torch.flip(grad, (-1,)), ctx.rate)
    return torch.flip(backwards, (-1,)), None


torch.library.register_autograd("learn::decay", gradient, setup_context=remember)
