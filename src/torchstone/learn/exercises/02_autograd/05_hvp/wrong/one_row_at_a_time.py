# rejected by: ops_do_not_grow: One backward pass for each row of H is n of them
# "as many ops for a large x as for a small one": a pass for each element, though only n numbers are held
from collections.abc import Callable

import torch
from torch import Tensor


def hvp(function: Callable[[Tensor], Tensor], x: Tensor, vector: Tensor) -> Tensor:
    """H · vector, where H is the Hessian of `function` at `x`."""

    point = x.detach().clone().requires_grad_()
    (slope,) = torch.autograd.grad(function(point), point, create_graph=True)
    result = torch.zeros_like(x)
    if not slope.requires_grad:
        return result
    for one, weight in zip(slope.flatten(), vector.flatten()):
        (row,) = torch.autograd.grad(one, point, retain_graph=True, allow_unused=True)
        if row is not None:
            result += weight * row
    return result
