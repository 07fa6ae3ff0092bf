# rejected by: products_are_right: H · vector is the gradient of
# "H is the Hessian of function": the outer product of the gradient instead of the Hessian
"""The product of a Hessian and a vector, without the Hessian."""

from collections.abc import Callable

import torch
from torch import Tensor


def hvp(function: Callable[[Tensor], Tensor], x: Tensor, vector: Tensor) -> Tensor:
    """H · vector, where H is the Hessian of `function` at `x`."""
    point = x.detach().requires_grad_()
    (slope,) = torch.autograd.grad(function(point), point, create_graph=True)
    return (slope * (slope * vector).sum()).detach()
