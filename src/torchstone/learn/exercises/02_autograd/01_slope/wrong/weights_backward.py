# rejected by: gradients_are_right: What has gathered in
# "the `.grad` of `x`, and of the weights inside `function` … is what it was": backward adds to the weights inside the
# function
"""The gradient of a function at a point, without leaving a trace."""

from collections.abc import Callable

import torch
from torch import Tensor, nn


def slope(function: Callable[[Tensor], Tensor], x: Tensor) -> Tensor:
    """The gradient of `function`, which gives a single number, at `x`."""
    point = x.detach().clone().requires_grad_()
    function(point).backward()
    return point.grad
