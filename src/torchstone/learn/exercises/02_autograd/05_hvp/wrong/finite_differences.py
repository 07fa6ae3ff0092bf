# rejected by: products_are_right: H · vector is the gradient of (slope · vector)
# "right for every shape and dtype": the difference of two gradients has few right digits in float32
from collections.abc import Callable

import torch
from torch import Tensor


def hvp(function: Callable[[Tensor], Tensor], x: Tensor, vector: Tensor) -> Tensor:
    """H · vector, where H is the Hessian of `function` at `x`."""

    def gradient(place: Tensor) -> Tensor:
        place = place.detach().requires_grad_()
        return torch.autograd.grad(function(place), place)[0]

    step = 1e-4
    return (gradient(x + step * vector) - gradient(x - step * vector)) / (2 * step)
