# rejected by: ops_do_not_grow: One backward pass for each row of H is n of them; with the
# one backward pass for every 256 elements; 'as many ops for a large `x` as for a small one'
"""The product of a Hessian and a vector, without the Hessian."""

from collections.abc import Callable

import torch
from torch import Tensor


def hvp(function: Callable[[Tensor], Tensor], x: Tensor, vector: Tensor) -> Tensor:
    """H · vector, where H is the Hessian of `function` at `x`."""
    point = x.detach().requires_grad_()
    (slope,) = torch.autograd.grad(function(point), point, create_graph=True)
    total = torch.zeros_like(x)
    if not slope.requires_grad:
        return total
    for some, weights in zip(slope.flatten().split(256), vector.flatten().split(256), strict=True):
        (product,) = torch.autograd.grad(some, point, weights, retain_graph=True, allow_unused=True)
        if product is not None:
            total += product
    return total
