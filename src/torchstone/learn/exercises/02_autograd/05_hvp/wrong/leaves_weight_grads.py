# rejected by: no_trace_is_left: What has gathered in .grad is the caller's, not yours to
# weights of a plain function get a .grad; 'No trace is left: the `.grad` of `x` and of weights inside the function
# stays what it was'
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
    weights = list(function.parameters()) if isinstance(function, torch.nn.Module) else []
    before = [weight.grad for weight in weights]
    for weight in weights:
        weight.grad = None
    (slope * vector).sum().backward()
    for weight, gradient in zip(weights, before, strict=True):
        weight.grad = gradient
    return torch.zeros_like(x) if point.grad is None else point.grad
