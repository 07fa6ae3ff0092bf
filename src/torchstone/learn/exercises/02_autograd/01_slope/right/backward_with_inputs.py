# earns: solved
# backward(inputs=...) on a detached copy
"""The gradient of a function at a point, without leaving a trace."""

from collections.abc import Callable

import torch
from torch import Tensor


def slope(function: Callable[[Tensor], Tensor], x: Tensor) -> Tensor:
    """The gradient of `function`, which gives a single number, at `x`."""
    point = x.detach().clone()
    point.requires_grad_(True)
    with torch.enable_grad():
        height = function(point)
    height.backward(inputs=[point])
    return point.grad
