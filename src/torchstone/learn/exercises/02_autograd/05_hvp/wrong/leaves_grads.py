# rejected by: products_are_right: What has gathered in .grad is the caller
# the second pass is a backward(), which adds to the .grad of weights inside the function; 'No trace is left'
"""The product of a Hessian and a vector, without the Hessian."""

from collections.abc import Callable

import torch
from torch import Tensor


def hvp(function: Callable[[Tensor], Tensor], x: Tensor, vector: Tensor) -> Tensor:
    """H · vector, where H is the Hessian of `function` at `x`."""
    point = x.detach().requires_grad_()
    (slope,) = torch.autograd.grad(function(point), point, create_graph=True, materialize_grads=True)
    if slope.requires_grad:
        (slope * vector).sum().backward()
    return torch.zeros_like(x) if point.grad is None else point.grad.detach()
