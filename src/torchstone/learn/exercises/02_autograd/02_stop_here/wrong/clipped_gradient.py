# rejected by: rounding_lets_gradients_through: round() is flat between two steps and its gradient is
# the gradient goes through only where |x| ≤ 1, as binary networks do it; 'as if nothing had been rounded' (x = 2.3)
"""Use a value without sending a gradient through it."""

import torch
from torch import Tensor


def td_loss(value: Tensor, reward: Tensor, next_value: Tensor, discount: float) -> Tensor:
    """The mean of (value − target)², with a gradient for `value` alone."""
    target = (reward + discount * next_value).detach()
    return (value - target).square().mean()


class _Round(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x: Tensor) -> Tensor:
        ctx.save_for_backward(x)
        return x.round()

    @staticmethod
    def backward(ctx, grad: Tensor) -> Tensor:
        (x,) = ctx.saved_tensors
        return grad * (x.abs() <= 1)


def round_through(x: Tensor) -> Tensor:
    """`x.round()`, with the gradient of `x`."""
    return _Round.apply(x)


def rescale(x: Tensor, scale: Tensor) -> Tensor:
    """x / scale, with a gradient for `x` alone."""
    return x / scale.detach()
