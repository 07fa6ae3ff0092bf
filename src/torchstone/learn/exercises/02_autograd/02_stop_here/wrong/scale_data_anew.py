# rejected by: scale_is_constant: `.data` has a version counter of its own and hides the change from aut
# .data hides the change from autograd: after scale.mul_(2) the gradient of x is quietly 1 / (2 · scale); 'right or
# refused by autograd, and never quietly wrong'
"""Use a value without sending a gradient through it."""

import torch
from torch import Tensor


def td_loss(value: Tensor, reward: Tensor, next_value: Tensor, discount: float) -> Tensor:
    """The mean of (value − target)², with a gradient for `value` alone."""
    target = (reward + discount * next_value).detach()
    return (value - target).square().mean()


def round_through(x: Tensor) -> Tensor:
    """`x.round()`, with the gradient of `x`."""
    return x + (x.round() - x).detach()


def rescale(x: Tensor, scale: Tensor) -> Tensor:
    """x / scale, with a gradient for `x` alone."""
    return x / scale.data
