# earns: solved
# mse_loss, and a zero with a gradient added to the rounded number
"""Use a value without sending a gradient through it."""

import torch
from torch import Tensor
from torch.nn import functional


def td_loss(value: Tensor, reward: Tensor, next_value: Tensor, discount: float) -> Tensor:
    """The mean of (value − target)², with a gradient for `value` alone."""
    return functional.mse_loss(value, reward.detach() + discount * next_value.detach())


def round_through(x: Tensor) -> Tensor:
    """`x.round()`, with the gradient of `x`."""
    return x.detach().round() + (x - x.detach())


def rescale(x: Tensor, scale: Tensor) -> Tensor:
    """x / scale, with a gradient for `x` alone."""
    return x.true_divide(scale.detach())
