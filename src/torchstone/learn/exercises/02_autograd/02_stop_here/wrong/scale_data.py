# rejected by: scale_is_constant: `.data` has a version counter of its own and hides the change from
# "either right or refused by autograd, and never quietly wrong": .data shares the memory and not the version counter
import torch
from torch import Tensor


def td_loss(value: Tensor, reward: Tensor, next_value: Tensor, discount: float) -> Tensor:
    """The mean of (value − target)², with a gradient for `value` alone."""
    target = (reward + discount * next_value).detach()
    return (value - target).square().mean()


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


def rescale(x: Tensor, scale: Tensor) -> Tensor:
    return x / scale.data
