# rejected by: scale_is_constant: The checks need torch as it is
# "other losses still need it": gradients are switched off for good, and nothing that the caller computes afterwards
# is recorded
import torch
from torch import Tensor


def td_loss(value: Tensor, reward: Tensor, next_value: Tensor, discount: float) -> Tensor:
    torch.set_grad_enabled(False)
    target = reward + discount * next_value
    torch.set_grad_enabled(True)
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
    factor = 1 / scale.detach().clone()
    result = x * factor
    torch.set_grad_enabled(False)
    return result
