# rejected by: straight_functions_give_zeros: A straight function's slope does not depend on x: no graph
# an error where the slope has a graph that does not lead to x; 'zeros, not an error'
"""The product of a Hessian and a vector, without the Hessian."""

from collections.abc import Callable

import torch
from torch import Tensor


def hvp(function: Callable[[Tensor], Tensor], x: Tensor, vector: Tensor) -> Tensor:
    """H · vector, where H is the Hessian of `function` at `x`."""
    point = x.detach().requires_grad_()
    # create_graph: the gradient is itself a function of the point, to be differentiated once more.
    (slope,) = torch.autograd.grad(function(point), point, create_graph=True)
    if not slope.requires_grad:  # straight everywhere: the slope is a constant
        return torch.zeros_like(x)
    # Backward through the slope with `vector` as what comes in gives vectorᵀ · H, and H is symmetric.
    (product,) = torch.autograd.grad(slope, point, vector)
    return product
