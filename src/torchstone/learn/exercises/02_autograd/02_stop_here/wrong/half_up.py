# rejected by: rounding_lets_gradients_through: The values stay those of x.round()
# rounds halves up, x.round() rounds them to even (2.5: 3 and not 2); '`round_through(x)` is `x.round()`'
"""Use a value without sending a gradient through it."""

import torch
from torch import Tensor


def td_loss(value: Tensor, reward: Tensor, next_value: Tensor, discount: float) -> Tensor:
    """The mean of (value − target)², with a gradient for `value` alone."""
    target = (reward + discount * next_value).detach()
    return (value - target).square().mean()


def round_through(x: Tensor) -> Tensor:
    """`x.round()`, with the gradient of `x`."""
    return x + ((x + 0.5).floor() - x).detach()


def rescale(x: Tensor, scale: Tensor) -> Tensor:
    """x / scale, with a gradient for `x` alone."""
    return x / scale.detach()
