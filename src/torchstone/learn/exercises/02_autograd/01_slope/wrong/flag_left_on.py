# rejected by: gradients_are_right: requires_grad is the caller's flag
"""The gradient of a function at a point, without leaving a trace."""

from collections.abc import Callable

import torch
from torch import Tensor


def slope(function: Callable[[Tensor], Tensor], x: Tensor) -> Tensor:
    """The gradient of `function`, which gives a single number, at `x`."""
    if x.is_leaf:
        x.requires_grad_()
    (gradient,) = torch.autograd.grad(function(x), x)
    return gradient
