# rejected by: scale_is_constant: `.data` has a version counter of its own and hides the change
# keeps the scale where autograd does not see its version, so a change in place makes the gradient quietly wrong;
# 'The gradient of `x` must then be either right or refused by autograd, and never quietly wrong.'
"""Use a value without sending a gradient through it."""

import torch
from torch import Tensor


def td_loss(value: Tensor, reward: Tensor, next_value: Tensor, discount: float) -> Tensor:
    """The mean of (value − target)², with a gradient for `value` alone."""
    target = (reward + discount * next_value).detach()
    return (value - target).square().mean()


class Round(torch.autograd.Function):
    """Rounds, and lets the gradient through."""

    @staticmethod
    def forward(ctx, x):
        return x.round()

    @staticmethod
    def backward(ctx, grad):
        return grad


def round_through(x: Tensor) -> Tensor:
    """`x.round()`, with the gradient of `x`."""
    return Round.apply(x)


class Divide(torch.autograd.Function):
    """Divides by a constant."""

    @staticmethod
    def forward(ctx, x, scale):
        ctx.scale, ctx.shape = scale, x.shape
        return x / scale

    @staticmethod
    def backward(ctx, grad):
        return (grad / ctx.scale).sum_to_size(ctx.shape), None


def rescale(x: Tensor, scale: Tensor) -> Tensor:
    """x / scale, with a gradient for `x` alone."""
    return Divide.apply(x, scale)
