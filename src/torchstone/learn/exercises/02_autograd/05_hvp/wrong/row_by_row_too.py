# rejected by: memory_stays_small: Somewhere n × n numbers live
# "never anything of n × n numbers, and as many ops for a large x as for a small one": all rows of the Hessian are
# made
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
    rows = []
    for one in slope.flatten():
        (row,) = torch.autograd.grad(one, point, retain_graph=True, allow_unused=True)
        rows.append(torch.zeros_like(x).flatten() if row is None else row.flatten())
    return (torch.stack(rows) @ vector.flatten()).reshape(x.shape)
