# rejected by: products_are_right: requires_grad is the caller's flag
# "No trace is left": x itself is made to require a gradient, and stays so
from collections.abc import Callable

import torch
from torch import Tensor


def hvp(function: Callable[[Tensor], Tensor], x: Tensor, vector: Tensor) -> Tensor:
    """H · vector, where H is the Hessian of `function` at `x`."""

    if not x.requires_grad:
        x.requires_grad_()
    (slope,) = torch.autograd.grad(function(x), x, create_graph=True)
    if not slope.requires_grad:
        return torch.zeros_like(slope)
    (result,) = torch.autograd.grad((slope * vector).sum(), x, allow_unused=True)
    return torch.zeros_like(x) if result is None else result
