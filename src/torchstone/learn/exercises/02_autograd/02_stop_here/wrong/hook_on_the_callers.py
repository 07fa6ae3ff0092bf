# rejected by: target_is_constant: Remove the hooks that you made
# "What you are given stays part of its own graph: other losses still need it": a hook on next_value swallows the
# gradients of every loss
import torch
from torch import Tensor


def td_loss(value: Tensor, reward: Tensor, next_value: Tensor, discount: float) -> Tensor:
    for given in (reward, next_value):
        if given.requires_grad:
            given.register_hook(torch.zeros_like)
    target = reward + discount * next_value
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
    """x / scale, with a gradient for `x` alone."""
    return x / scale.detach()
