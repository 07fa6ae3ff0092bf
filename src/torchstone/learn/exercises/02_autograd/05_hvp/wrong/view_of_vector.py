# rejected by: products_are_right: view() cannot describe these strides
# view(-1) refuses a vector that is not contiguous; 'x and vector have one shape, any shape' (vector =
# torch.randn(3, 2).T)
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
    product = slope.reshape(-1).dot(vector.view(-1))
    (result,) = torch.autograd.grad(product, point, allow_unused=True)
    return torch.zeros_like(x) if result is None else result
