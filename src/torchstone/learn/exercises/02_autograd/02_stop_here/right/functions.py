# earns: solved
# autograd Functions of its own with save_for_backward, the target without recording
"""Use a value without sending a gradient through it."""

import torch
from torch import Tensor
from torch.autograd import Function


class _Round(Function):
    @staticmethod
    def forward(ctx, x: Tensor) -> Tensor:
        return torch.round(x)

    @staticmethod
    def backward(ctx, grad: Tensor) -> Tensor:
        return grad


class _Rescale(Function):
    @staticmethod
    def forward(ctx, x: Tensor, scale: Tensor) -> Tensor:
        ctx.save_for_backward(scale)
        return x / scale

    @staticmethod
    def backward(ctx, grad: Tensor) -> tuple[Tensor, None]:
        (scale,) = ctx.saved_tensors
        return grad / scale.detach(), None


def td_loss(value: Tensor, reward: Tensor, next_value: Tensor, discount: float) -> Tensor:
    """The mean of (value − target)², with a gradient for `value` alone."""
    with torch.no_grad():
        target = torch.add(reward, next_value, alpha=discount)
    return torch.mean((value - target) ** 2)


def round_through(x: Tensor) -> Tensor:
    """`x.round()`, with the gradient of `x`."""
    return _Round.apply(x)


def rescale(x: Tensor, scale: Tensor) -> Tensor:
    """x / scale, with a gradient for `x` alone."""
    return _Rescale.apply(x, scale)
