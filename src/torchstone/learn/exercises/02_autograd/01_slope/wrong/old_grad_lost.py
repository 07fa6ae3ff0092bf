# rejected by: no_trace_is_left: What has gathered in .grad is the caller
# a gradient that x already had is gone afterwards; 'is what it was, be it `None` or a tensor'
"""The gradient of a function at a point, without leaving a trace."""

from collections.abc import Callable

import torch
from torch import Tensor


def slope(function: Callable[[Tensor], Tensor], x: Tensor) -> Tensor:
    """The gradient of `function`, which gives a single number, at `x`."""
    if x.is_leaf and x.requires_grad:
        x.grad = None  # start from nothing
    point = x.detach().requires_grad_()
    with torch.enable_grad():
        height = function(point)
    if height.requires_grad:
        height.backward(inputs=[point])
    return torch.zeros_like(point) if point.grad is None else point.grad
