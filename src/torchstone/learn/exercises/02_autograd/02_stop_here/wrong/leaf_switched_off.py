# rejected by: the_callers_graph_stays_whole: requires_grad is the caller's flag: detach() gives a new tensor
# a scale that is a leaf no longer requires a gradient afterwards; 'What you are given stays part of its own graph:
# other losses still need it.'
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


def rescale(x: Tensor, scale: Tensor) -> Tensor:
    """x / scale, with a gradient for `x` alone."""
    if scale.is_leaf:
        return x / scale.requires_grad_(False)
    return x / scale.detach()
