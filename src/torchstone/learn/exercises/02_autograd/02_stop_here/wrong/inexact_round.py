# rejected by: rounding_lets_gradients_through: The values stay those of x.round()
# "round_through(x) is x.round()": floor(x + 0.5) rounds the halves up, not to even
"""Use a value without sending a gradient through it."""

from typing import Any

import torch
from torch import Tensor


class _Straight(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: Tensor) -> Tensor:
        return torch.round(x)

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> Tensor:
        return gradient


def td_loss(value: Tensor, reward: Tensor, next_value: Tensor, discount: float) -> Tensor:
    """The mean of (value − target)², with a gradient for `value` alone."""
    with torch.no_grad():
        target = torch.add(reward, next_value, alpha=discount)
    gap = value - target
    return (gap * gap).mean()


def round_through(x: Tensor) -> Tensor:
    """`x.round()`, with the gradient of `x`."""
    return x + (torch.floor(x + 0.5) - x).detach()


def rescale(x: Tensor, scale: Tensor) -> Tensor:
    """x / scale, with a gradient for `x` alone."""
    return torch.div(x, scale.detach().clone())
