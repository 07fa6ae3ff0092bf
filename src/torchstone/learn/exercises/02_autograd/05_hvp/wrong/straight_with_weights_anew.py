# rejected by: straight_functions_give_zeros: A straight function's slope does not depend on x
# (weight * x).sum() with a weight that requires a gradient: the slope has a graph and x is not in it, autograd.grad
# raises; 'Where the function is straight in x ... zeros, not an error'
"""The product of a Hessian and a vector, without the Hessian."""

from collections.abc import Callable

import torch
from torch import Tensor


def hvp(function: Callable[[Tensor], Tensor], x: Tensor, vector: Tensor) -> Tensor:
    """H · vector, where H is the Hessian of `function` at `x`."""
    point = x.detach().requires_grad_()
    (slope,) = torch.autograd.grad(function(point), point, create_graph=True)
    if not slope.requires_grad:  # a straight function
        return torch.zeros_like(x)
    (result,) = torch.autograd.grad(slope, point, grad_outputs=vector)
    return result
