# rejected by: scale_is_constant: Inside no_grad() nothing is recorded
# "only x gets a gradient": under no_grad nothing gets one
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


@torch.no_grad()
def rescale(x: Tensor, scale: Tensor) -> Tensor:
    return x / scale.clone()
