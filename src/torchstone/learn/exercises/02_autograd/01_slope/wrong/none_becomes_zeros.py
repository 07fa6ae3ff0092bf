# rejected by: gradients_are_right: What has gathered in .grad is the caller's, not yours to
# a .grad of None is a tensor of zeros afterwards; 'the `.grad` of `x` ... is what it was, be it `None` or a tensor
# of whatever numbers'
"""The gradient of a function at a point, without leaving a trace."""

from collections.abc import Callable

import torch
from torch import Tensor


def slope(function: Callable[[Tensor], Tensor], x: Tensor) -> Tensor:
    """The gradient of `function`, which gives a single number, at `x`."""
    needed = x.requires_grad
    before = torch.zeros_like(x) if x.grad is None else x.grad
    point = x if x.is_leaf else x.detach()
    point.requires_grad_()
    (gradient,) = torch.autograd.grad(function(point), point)
    if x.is_leaf:
        x.grad = before.detach()
        x.requires_grad_(needed)
    return gradient
