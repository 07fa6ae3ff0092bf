# rejected by: gradients_are_right: What has gathered in .grad is the caller's
"""The gradient of a function at a point, without leaving a trace."""

from collections.abc import Callable

import torch
from torch import Tensor


def slope(function: Callable[[Tensor], Tensor], x: Tensor) -> Tensor:
    """The gradient of `function`, which gives a single number, at `x`."""
    leaf = x if x.is_leaf else x.detach()
    leaf.requires_grad_()
    leaf.grad = None
    function(leaf).backward()
    return leaf.grad
