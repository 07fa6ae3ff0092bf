# rejected by: weights_of_plain_functions_stay: backward() adds to .grad; torch.autograd.grad returns the
# weights that a plain function uses keep the added gradient; 'the `.grad` of `x`, and of the weights inside
# `function` (a module or any other function), is what it was'
"""The gradient of a function at a point, without leaving a trace."""

from collections.abc import Callable

import torch
from torch import Tensor


def slope(function: Callable[[Tensor], Tensor], x: Tensor) -> Tensor:
    """The gradient of `function`, which gives a single number, at `x`."""
    point = x.detach().requires_grad_()
    weights = list(function.parameters()) if isinstance(function, torch.nn.Module) else []
    before = [weight.grad for weight in weights]
    for weight in weights:
        weight.grad = None
    function(point).backward()
    for weight, gradient in zip(weights, before, strict=True):
        weight.grad = gradient
    return point.grad
