# rejected by: rounding_lets_gradients_through: The caller still needs what it handed in
# "round_through(x) is x.round()": the caller's x itself is rounded
import torch
from torch import Tensor


def td_loss(value: Tensor, reward: Tensor, next_value: Tensor, discount: float) -> Tensor:
    """The mean of (value − target)², with a gradient for `value` alone."""
    target = (reward + discount * next_value).detach()
    return (value - target).square().mean()


def round_through(x: Tensor) -> Tensor:
    x.data.round_()
    return x * 1


def rescale(x: Tensor, scale: Tensor) -> Tensor:
    """x / scale, with a gradient for `x` alone."""
    return x / scale.detach()
