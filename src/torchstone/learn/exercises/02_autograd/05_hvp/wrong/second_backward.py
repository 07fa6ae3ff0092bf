# rejected by: products_are_right: What has gathered in .grad is the caller's
# the second derivative is taken by backward(), which adds to the .grad of weights inside the function; 'the .grad
# of x and of weights inside the function stays what it was' (a network with weights)
"""The product of a Hessian and a vector, without the Hessian."""

from collections.abc import Callable

import torch
from torch import Tensor


def hvp(function: Callable[[Tensor], Tensor], x: Tensor, vector: Tensor) -> Tensor:
    """H · vector, where H is the Hessian of `function` at `x`."""
    point = x.detach().clone().requires_grad_()
    (slope,) = torch.autograd.grad(function(point), point, create_graph=True)
    if slope.grad_fn is None:
        return torch.zeros_like(x)
    (slope * vector).sum().backward()
    return torch.zeros_like(x) if point.grad is None else point.grad
