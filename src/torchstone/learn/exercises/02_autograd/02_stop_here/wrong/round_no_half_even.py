# rejected by: rounding_lets_gradients_through: The values stay those of x.round()
# "round_through(x) is x.round()": floor(x + 0.5) differs from round at the halves
import torch
from torch import Tensor


def td_loss(value: Tensor, reward: Tensor, next_value: Tensor, discount: float) -> Tensor:
    """The mean of (value − target)², with a gradient for `value` alone."""
    target = (reward + discount * next_value).detach()
    return (value - target).square().mean()


def round_through(x: Tensor) -> Tensor:
    return x + ((x + 0.5).floor() - x).detach()


def rescale(x: Tensor, scale: Tensor) -> Tensor:
    """x / scale, with a gradient for `x` alone."""
    return x / scale.detach()
