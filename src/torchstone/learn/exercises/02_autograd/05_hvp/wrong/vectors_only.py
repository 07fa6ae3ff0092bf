# rejected by: products_are_right: H · vector is the gradient of (slope · vector)
# "x and vector have one shape, any shape": @ takes the product of one-dimensional tensors only
from collections.abc import Callable

import torch
from torch import Tensor


def hvp(function: Callable[[Tensor], Tensor], x: Tensor, vector: Tensor) -> Tensor:
    """H · vector, where H is the Hessian of `function` at `x`."""

    point = x.detach().clone().requires_grad_()
    (slope,) = torch.autograd.grad(function(point), point, create_graph=True)
    if not slope.requires_grad:
        return torch.zeros_like(x)
    (result,) = torch.autograd.grad(slope @ vector, point, allow_unused=True)
    return torch.zeros_like(x) if result is None else result
