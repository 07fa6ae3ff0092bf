# rejected by: no_trace_is_left: What has gathered in
# "the .grad of x … stays what it was": where x needs a gradient itself, its .grad is changed
"""The product of a Hessian and a vector, without the Hessian."""

from collections.abc import Callable

import torch
from torch import Tensor


def hvp(function: Callable[[Tensor], Tensor], x: Tensor, vector: Tensor) -> Tensor:
    """H · vector, where H is the Hessian of `function` at `x`."""
    point = x if x.requires_grad else x.detach().requires_grad_()
    (slope,) = torch.autograd.grad(function(point), point, create_graph=True)
    if not slope.requires_grad:
        return torch.zeros_like(x)
    before = torch.zeros_like(x) if point.grad is None else point.grad.clone()
    (slope + 0 * point).backward(vector, inputs=[point])
    return point.grad - before
