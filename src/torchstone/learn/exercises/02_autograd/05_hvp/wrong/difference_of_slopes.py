# rejected by: products_are_right: H · vector is the gradient of (slope · vector)
# a difference of two gradients: in float32 off by some 1e-4 of the slope (x = 10 in x**4 + 1e4 * x, vector 1);
# 'returns H · vector', 'right ... in float32 and float64'
"""The product of a Hessian and a vector, without the Hessian."""

from collections.abc import Callable

import torch
from torch import Tensor


def hvp(function: Callable[[Tensor], Tensor], x: Tensor, vector: Tensor) -> Tensor:
    """H · vector, where H is the Hessian of `function` at `x`."""

    def slope(place: Tensor) -> Tensor:
        point = place.detach().requires_grad_()
        return torch.autograd.grad(function(point), point)[0]

    small = 1e-4
    return (slope(x + small * vector) - slope(x - small * vector)) / (2 * small)
