# rejected by: products_are_right: The gradient of slope.sum() adds up each row of H before the vector
# "the sum over all places j of ∂²function / ∂x[here] ∂x[j] · vector[j]": rows are summed first and multiplied then,
# right for diagonal Hessians alone
from collections.abc import Callable

import torch
from torch import Tensor


def hvp(function: Callable[[Tensor], Tensor], x: Tensor, vector: Tensor) -> Tensor:
    """H · vector, where H is the Hessian of `function` at `x`."""

    point = x.detach().clone().requires_grad_()
    (slope,) = torch.autograd.grad(function(point), point, create_graph=True)
    if not slope.requires_grad:
        return torch.zeros_like(x)
    (sums,) = torch.autograd.grad(slope.sum(), point, materialize_grads=True)
    return sums * vector
