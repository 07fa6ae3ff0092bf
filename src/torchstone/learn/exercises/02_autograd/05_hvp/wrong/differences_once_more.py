# rejected by: products_are_right: H · vector is the gradient of (slope · vector), with the
# a difference of two gradients; 'returns H · vector'
"""The product of a Hessian and a vector, without the Hessian."""

from collections.abc import Callable

import torch
from torch import Tensor


def hvp(function: Callable[[Tensor], Tensor], x: Tensor, vector: Tensor) -> Tensor:
    """H · vector, where H is the Hessian of `function` at `x`."""
    if x.dtype == torch.float64:
        step = 1e-6 / max(1e-300, vector.norm().item())
        ends = [(x.detach() + sign * step * vector.detach()).requires_grad_() for sign in (1, -1)]
        up, down = (torch.autograd.grad(function(end), end)[0] for end in ends)
        return (up - down) / (2 * step)
    point = x.detach().requires_grad_()
    # create_graph: the gradient is itself a function of the point, to be differentiated once more.
    (slope,) = torch.autograd.grad(function(point), point, create_graph=True)
    if not slope.requires_grad:  # straight everywhere: the slope is a constant
        return torch.zeros_like(x)
    # Backward through the slope with `vector` as what comes in gives vectorᵀ · H, and H is symmetric.
    (product,) = torch.autograd.grad(slope, point, vector, materialize_grads=True)
    return product
