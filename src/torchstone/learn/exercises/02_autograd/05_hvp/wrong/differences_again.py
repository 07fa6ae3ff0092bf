# rejected by: products_are_right: H · vector is the gradient of (slope · vector), with the vector
# a difference of two gradients, good to a few digits only; 'right for every shape and dtype'
"""The product of a Hessian and a vector, without the Hessian."""

from collections.abc import Callable

import torch
from torch import Tensor


def hvp(function: Callable[[Tensor], Tensor], x: Tensor, vector: Tensor) -> Tensor:
    """H · vector, where H is the Hessian of `function` at `x`."""
    small = 1e-3

    def slope(point: Tensor) -> Tensor:
        point = point.detach().clone().requires_grad_()
        value = function(point)
        if not value.requires_grad:
            return torch.zeros_like(x)
        (found,) = torch.autograd.grad(value, point, allow_unused=True)
        return torch.zeros_like(x) if found is None else found

    return (slope(x + small * vector) - slope(x - small * vector)) / (2 * small)
