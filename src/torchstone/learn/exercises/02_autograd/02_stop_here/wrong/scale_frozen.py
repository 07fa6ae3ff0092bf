# rejected by: the_callers_graph_stays_whole: requires_grad is the caller's flag
# "What you are given stays part of its own graph": the caller's scale has its requires_grad switched off
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
    if scale.is_leaf:
        scale.requires_grad_(False)
    return x / scale.detach()
