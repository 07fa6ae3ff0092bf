# earns: solved
# a copy of the scale, zero added with a gradient, mse_loss
"""Use a value without sending a gradient through it."""

import torch
from torch import Tensor
from torch.nn import functional


def _constant(tensor: Tensor) -> Tensor:
    return tensor.detach().clone()


def td_loss(value: Tensor, reward: Tensor, next_value: Tensor, discount: float) -> Tensor:
    """The mean of (value − target)², with a gradient for `value` alone."""
    return functional.mse_loss(value, _constant(reward) + discount * _constant(next_value))


def round_through(x: Tensor) -> Tensor:
    """`x.round()`, with the gradient of `x`."""
    frozen = _constant(x)
    return frozen.round() + (x - frozen)


def rescale(x: Tensor, scale: Tensor) -> Tensor:
    """x / scale, with a gradient for `x` alone."""
    return torch.div(x, _constant(scale))
