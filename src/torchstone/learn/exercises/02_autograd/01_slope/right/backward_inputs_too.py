# earns: solved
# backward, told to fill the gradient of a copy alone
"""The gradient of a function at a point, without leaving a trace."""

from collections.abc import Callable

import torch
from torch import Tensor, nn


def slope(function: Callable[[Tensor], Tensor], x: Tensor) -> Tensor:
    """The gradient of `function`, which gives a single number, at `x`."""
    point = torch.empty_like(x, requires_grad=False)
    point.copy_(x.detach())
    point.requires_grad_(True)
    with torch.enable_grad():
        function(point).sum().backward(inputs=(point,))
    slopes, point.grad = point.grad, None
    return slopes
