# earns: solved
# autograd Functions that say themselves who gets what
import torch
from torch import Tensor
from torch.autograd import Function


class Round(Function):
    @staticmethod
    def forward(ctx, x):
        return torch.round(x)

    @staticmethod
    def backward(ctx, grad):
        return grad


class Rescale(Function):
    @staticmethod
    def forward(ctx, x, scale):
        ctx.save_for_backward(scale)
        return x / scale

    @staticmethod
    def backward(ctx, grad):
        (scale,) = ctx.saved_tensors
        return grad / scale, None


def td_loss(value: Tensor, reward: Tensor, next_value: Tensor, discount: float) -> Tensor:
    with torch.no_grad():
        target = reward + discount * next_value
    return (value - target).pow(2).mean()


def round_through(x: Tensor) -> Tensor:
    return Round.apply(x)


def rescale(x: Tensor, scale: Tensor) -> Tensor:
    return Rescale.apply(x, scale.detach())
