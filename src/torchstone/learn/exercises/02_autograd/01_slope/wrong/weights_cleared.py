# rejected by: gradients_are_right: What has gathered in
"""The gradient of a function at a point, without leaving a trace."""

from collections.abc import Callable

import torch
from torch import Tensor


def slope(function: Callable[[Tensor], Tensor], x: Tensor) -> Tensor:
    """The gradient of `function`, which gives a single number, at `x`."""
    point = x.detach().clone().requires_grad_()
    result = function(point)
    result.backward()
    if isinstance(function, torch.nn.Module):
        function.zero_grad()
    return point.grad
