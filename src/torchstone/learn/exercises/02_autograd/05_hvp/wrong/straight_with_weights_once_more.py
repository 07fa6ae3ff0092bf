# rejected by: straight_functions_give_zeros: A straight function's slope does not depend on x: no graph
# an error for a function that is straight in x with weights that learn, because the slope then has a graph without
# x; 'Where the function is straight in `x` ..., there is no curvature: zeros, not an error'
"""The product of a Hessian and a vector, without the Hessian."""

from collections.abc import Callable

import torch
from torch import Tensor


def hvp(function: Callable[[Tensor], Tensor], x: Tensor, vector: Tensor) -> Tensor:
    """H · vector, where H is the Hessian of `function` at `x`."""
    point = x.detach().requires_grad_()
    (slope,) = torch.autograd.grad(function(point), point, create_graph=True)
    if not slope.requires_grad:
        return torch.zeros_like(x)
    (product,) = torch.autograd.grad(slope, point, vector)
    return product.detach()
