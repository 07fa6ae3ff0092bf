# rejected by: products_are_right: What has gathered in
# "the .grad of x and of weights inside the function stays what it was": backward() writes into the weights' .grad
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
    slope.backward(vector)
    return torch.zeros_like(x) if point.grad is None else point.grad
