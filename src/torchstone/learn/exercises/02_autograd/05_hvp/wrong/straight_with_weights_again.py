# rejected by: straight_functions_give_zeros: A straight function's slope does not depend on x: no graph
# an error for a function that is straight in x and has weights that require gradients; 'Where the function is
# straight in `x` (or in some of its elements), there is no curvature: zeros, not an error.'
"""The product of a Hessian and a vector, without the Hessian."""

from collections.abc import Callable

import torch
from torch import Tensor


def hvp(function: Callable[[Tensor], Tensor], x: Tensor, vector: Tensor) -> Tensor:
    """H · vector, where H is the Hessian of `function` at `x`."""
    point = x.detach().clone().requires_grad_()
    value = function(point)
    if not value.requires_grad:
        return torch.zeros_like(x)
    (slope,) = torch.autograd.grad(value, point, create_graph=True, allow_unused=True)
    if slope is None or not slope.requires_grad:
        return torch.zeros_like(x)
    (product,) = torch.autograd.grad(slope, point, vector)
    return product
