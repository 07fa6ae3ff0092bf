# earns: solved
# no_grad blocks, and a clone that is rounded in place behind autograd's back
"""Use a value without sending a gradient through it."""

import torch
from torch import Tensor


def td_loss(value: Tensor, reward: Tensor, next_value: Tensor, discount: float) -> Tensor:
    """The mean of (value − target)², with a gradient for `value` alone."""
    with torch.no_grad():
        target = torch.add(reward, next_value, alpha=discount)
    return torch.mean((value - target) ** 2)


def round_through(x: Tensor) -> Tensor:
    """`x.round()`, with the gradient of `x`."""
    out = x.clone()
    with torch.no_grad():
        out.round_()
    return out


def rescale(x: Tensor, scale: Tensor) -> Tensor:
    """x / scale, with a gradient for `x` alone."""
    with torch.no_grad():
        constant = scale.clone()
    return torch.div(x, constant)
