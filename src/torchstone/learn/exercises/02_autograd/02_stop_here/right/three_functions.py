# earns: solved
# autograd.Functions with saved tensors, one for each
import torch
from torch import Tensor


class SquaredPull(torch.autograd.Function):
    @staticmethod
    def forward(ctx, value: Tensor, target: Tensor) -> Tensor:
        difference = value - target
        ctx.save_for_backward(difference)
        ctx.shape = value.shape
        return difference.square().mean()

    @staticmethod
    def backward(ctx, grad: Tensor):
        (difference,) = ctx.saved_tensors
        return (grad * 2 * difference / difference.numel()).sum_to_size(ctx.shape), None


def td_loss(value: Tensor, reward: Tensor, next_value: Tensor, discount: float) -> Tensor:
    return SquaredPull.apply(value, reward.detach() + discount * next_value.detach())


class RoundThrough(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x: Tensor) -> Tensor:
        return x.round()

    @staticmethod
    def backward(ctx, grad: Tensor) -> Tensor:
        return grad


def round_through(x: Tensor) -> Tensor:
    """`x.round()`, with the gradient of `x`."""
    return RoundThrough.apply(x)


class Rescale(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x: Tensor, scale: Tensor) -> Tensor:
        ctx.save_for_backward(scale)
        ctx.shape = x.shape
        return x / scale

    @staticmethod
    def backward(ctx, grad: Tensor):
        (scale,) = ctx.saved_tensors
        return (grad / scale.detach()).sum_to_size(ctx.shape), None


def rescale(x: Tensor, scale: Tensor) -> Tensor:
    return Rescale.apply(x, scale)
