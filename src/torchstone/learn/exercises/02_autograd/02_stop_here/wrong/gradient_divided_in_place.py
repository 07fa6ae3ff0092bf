# rejected by: scale_is_constant: the gradient of z in rescale
# backward divides the gradient that it is given in place: in rescale(x, scale) + z that of z becomes wrong
from typing import Any

import torch
from torch import Tensor


def td_loss(value: Tensor, reward: Tensor, next_value: Tensor, discount: float) -> Tensor:
    return (value - (reward + discount * next_value).detach()).square().mean()


def round_through(x: Tensor) -> Tensor:
    return x + (x.round() - x).detach()


class Rescale(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: Tensor, scale: Tensor) -> Tensor:
        ctx.save_for_backward(scale)
        return x / scale

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor, None]:
        (scale,) = ctx.saved_tensors
        return gradient.div_(scale), None


def rescale(x: Tensor, scale: Tensor) -> Tensor:
    return Rescale.apply(x, scale)
