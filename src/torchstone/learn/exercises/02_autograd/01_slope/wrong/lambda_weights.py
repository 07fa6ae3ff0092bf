# rejected by: gradients_are_right: What has gathered in
# "the weights inside `function` (a module or any other function)": only a module's own weights are looked after
"""The gradient of a function at a point, without leaving a trace."""

from collections.abc import Callable

import torch
from torch import Tensor, nn


def slope(function: Callable[[Tensor], Tensor], x: Tensor) -> Tensor:
    """The gradient of `function`, which gives a single number, at `x`."""
    weights = list(function.parameters()) if isinstance(function, nn.Module) else []
    before = [None if weight.grad is None else weight.grad.clone() for weight in weights]
    point = x.detach().clone().requires_grad_()
    function(point).backward()
    for weight, old in zip(weights, before, strict=True):
        weight.grad = old
    return point.grad
