# rejected by: memory_stays_small: n × n numbers live
"""The product of a Hessian and a vector, without the Hessian."""

from collections.abc import Callable

import torch
from torch import Tensor


def hvp(function: Callable[[Tensor], Tensor], x: Tensor, vector: Tensor) -> Tensor:
    """H · vector, where H is the Hessian of `function` at `x`."""
    point = x.detach().flatten().requires_grad_()
    (slope,) = torch.autograd.grad(function(point.reshape(x.shape)), point, create_graph=True)
    if not slope.requires_grad:
        return torch.zeros_like(x)
    rows = [torch.autograd.grad(one, point, retain_graph=True, materialize_grads=True)[0] for one in slope]
    return (torch.stack(rows) @ vector.flatten()).reshape(x.shape)
