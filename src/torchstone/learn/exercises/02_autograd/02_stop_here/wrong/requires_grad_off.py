# rejected by: the_callers_graph_stays_whole: requires_grad is the caller's flag
# "What you are given stays part of its own graph": switches requires_grad of the caller's scale off
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
    return _Straight.apply(x)


def rescale(x: Tensor, scale: Tensor) -> Tensor:
    """x / scale, with a gradient for `x` alone."""
    if scale.is_leaf:
        scale.requires_grad_(False)
    return x / scale.detach().clone()
