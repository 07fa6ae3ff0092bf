# rejected by: products_are_right: exact, not a difference
"""The product of a Hessian and a vector, without the Hessian."""

from collections.abc import Callable

import torch
from torch import Tensor


def hvp(function: Callable[[Tensor], Tensor], x: Tensor, vector: Tensor) -> Tensor:
    """H · vector, where H is the Hessian of `function` at `x`."""

    def slope(point: Tensor) -> Tensor:
        point = point.detach().requires_grad_()
        return torch.autograd.grad(function(point), point)[0]

    step = 1e-3
    return (slope(x + step * vector) - slope(x - step * vector)) / (2 * step)
