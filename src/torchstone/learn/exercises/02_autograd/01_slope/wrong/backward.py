# rejected by: grads_of_x_stay: backward() adds to .grad
"""The gradient of a function at a point, without leaving a trace."""

from collections.abc import Callable

import torch
from torch import Tensor


def slope(function: Callable[[Tensor], Tensor], x: Tensor) -> Tensor:
    """The gradient of `function`, which gives a single number, at `x`."""
    leaf = x if x.requires_grad else x.detach().requires_grad_()
    function(leaf).backward()
    return leaf.grad
