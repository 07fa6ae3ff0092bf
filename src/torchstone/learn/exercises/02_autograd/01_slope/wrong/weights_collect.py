# rejected by: gradients_are_right: What has gathered in .grad is the caller's
# x is spared by detach(), but backward() adds to the .grad of the function's weights; 'the .grad of x, and of the
# weights inside function ... is what it was' (function = a Linear's sum)
"""The gradient of a function at a point, without leaving a trace."""

from collections.abc import Callable

import torch
from torch import Tensor


def slope(function: Callable[[Tensor], Tensor], x: Tensor) -> Tensor:
    """The gradient of `function`, which gives a single number, at `x`."""
    point = x.detach().clone().requires_grad_()
    function(point).backward()
    return point.grad
