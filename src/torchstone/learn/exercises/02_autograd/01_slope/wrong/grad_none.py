# rejected by: gradients_are_right: What has gathered in
# "is what it was, be it `None` or a tensor of whatever numbers": the weights' and x's old gradients are thrown away
"""The gradient of a function at a point, without leaving a trace."""

from collections.abc import Callable

import torch
from torch import Tensor, nn


def slope(function: Callable[[Tensor], Tensor], x: Tensor) -> Tensor:
    """The gradient of `function`, which gives a single number, at `x`."""
    point = x.detach().clone().requires_grad_()
    function(point).backward()
    if isinstance(function, nn.Module):
        function.zero_grad()
    return point.grad
