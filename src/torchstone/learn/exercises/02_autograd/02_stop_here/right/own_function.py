# earns: solved
# an autograd.Function for the staircase, no_grad for the target, a clone of the scale
"""Use a value without sending a gradient through it."""

import torch
from torch import Tensor


class _Staircase(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x.round()

    @staticmethod
    def backward(ctx, gradient):
        return gradient


def td_loss(value: Tensor, reward: Tensor, next_value: Tensor, discount: float) -> Tensor:
    """The mean of (value − target)², with a gradient for `value` alone."""
    with torch.no_grad():
        target = reward + discount * next_value
    return (value - target).square().mean()


def round_through(x: Tensor) -> Tensor:
    """`x.round()`, with the gradient of `x`."""
    return _Staircase.apply(x)


def rescale(x: Tensor, scale: Tensor) -> Tensor:
    """x / scale, with a gradient for `x` alone."""
    return torch.div(x, scale.detach().clone())
