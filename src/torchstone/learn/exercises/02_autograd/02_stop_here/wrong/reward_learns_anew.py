# rejected by: target_is_constant: That pulls the target towards the guess
# only next_value is cut off, a reward that requires a gradient gets one; 'only `value` gets a gradient'
"""Use a value without sending a gradient through it."""

import torch
from torch import Tensor


def td_loss(value: Tensor, reward: Tensor, next_value: Tensor, discount: float) -> Tensor:
    """The mean of (value − target)², with a gradient for `value` alone."""
    target = reward + discount * next_value.detach()
    return (value - target).square().mean()


def round_through(x: Tensor) -> Tensor:
    """`x.round()`, with the gradient of `x`."""
    return x + (x.round() - x).detach()


def rescale(x: Tensor, scale: Tensor) -> Tensor:
    """x / scale, with a gradient for `x` alone."""
    return x / scale.detach()
