# rejected by: target_is_constant: requires_grad is the caller's flag: detach() gives a new
# detach_() cuts the caller's reward from its graph; 'What you are given stays part of its own graph: other losses
# still need it'
"""Use a value without sending a gradient through it."""

from typing import Any

import torch
from torch import Tensor


class Through(torch.autograd.Function):
    """Rounds going forward, does nothing going backward."""

    @staticmethod
    def forward(ctx: Any, x: Tensor) -> Tensor:
        return x.round()

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> Tensor:
        return gradient


def td_loss(value: Tensor, reward: Tensor, next_value: Tensor, discount: float) -> Tensor:
    """The mean of (value − target)², with a gradient for `value` alone."""
    target = reward.detach_() + discount * next_value.detach()
    return (value - target).square().mean()


def round_through(x: Tensor) -> Tensor:
    """`x.round()`, with the gradient of `x`."""
    return Through.apply(x)


def rescale(x: Tensor, scale: Tensor) -> Tensor:
    """x / scale, with a gradient for `x` alone."""
    return x / scale.detach().clone()
