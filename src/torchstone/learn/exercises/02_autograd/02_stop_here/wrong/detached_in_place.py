# rejected by: target_is_constant: requires_grad is the caller's flag
# detach_ cuts the caller's next_value off its own graph; 'What you are given stays part of its own graph'
# (next_value = weights * 2, used in another loss)
"""Use a value without sending a gradient through it."""

import torch
from torch import Tensor


def td_loss(value: Tensor, reward: Tensor, next_value: Tensor, discount: float) -> Tensor:
    """The mean of (value − target)², with a gradient for `value` alone."""
    target = reward.detach() + discount * next_value.detach_()
    return (value - target).square().mean()


def round_through(x: Tensor) -> Tensor:
    """`x.round()`, with the gradient of `x`."""
    return x + (x.round() - x).detach()


def rescale(x: Tensor, scale: Tensor) -> Tensor:
    """x / scale, with a gradient for `x` alone."""
    return x / scale.detach()
