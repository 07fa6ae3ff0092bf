# rejected by: products_are_right: requires_grad is the caller's flag: detach() gives a new tensor
# x requires a gradient afterwards, though it did not before; 'No trace is left'
"""The product of a Hessian and a vector, without the Hessian."""

from collections.abc import Callable

import torch
from torch import Tensor


def hvp(function: Callable[[Tensor], Tensor], x: Tensor, vector: Tensor) -> Tensor:
    """H · vector, where H is the Hessian of `function` at `x`."""
    point = x.requires_grad_() if x.is_leaf else x
    value = function(point)
    if not value.requires_grad:
        return torch.zeros_like(x)
    (slope,) = torch.autograd.grad(value, point, create_graph=True, allow_unused=True)
    if slope is None or not slope.requires_grad:
        return torch.zeros_like(x)
    (product,) = torch.autograd.grad(slope, point, vector, allow_unused=True)
    return torch.zeros_like(x) if product is None else product
