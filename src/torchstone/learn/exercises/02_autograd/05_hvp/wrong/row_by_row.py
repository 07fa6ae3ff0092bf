# rejected by: ops_do_not_grow: n of them
"""The product of a Hessian and a vector, without the Hessian."""

from collections.abc import Callable

import torch
from torch import Tensor


def hvp(function: Callable[[Tensor], Tensor], x: Tensor, vector: Tensor) -> Tensor:
    """H · vector, where H is the Hessian of `function` at `x`."""
    point = x.detach().requires_grad_()
    (slope,) = torch.autograd.grad(function(point), point, create_graph=True)
    product = torch.zeros_like(x).flatten()
    if slope.requires_grad:
        for index, one in enumerate(slope.flatten()):
            (row,) = torch.autograd.grad(one, point, retain_graph=True, materialize_grads=True)
            product[index] = (row * vector).sum()
    return product.reshape(x.shape)
