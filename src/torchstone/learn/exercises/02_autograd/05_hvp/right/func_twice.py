# earns: solved lean
# torch.func.grad of the slope along the vector
"""The product of a Hessian and a vector, without the Hessian."""

from collections.abc import Callable

import torch
from torch import Tensor


def hvp(function: Callable[[Tensor], Tensor], x: Tensor, vector: Tensor) -> Tensor:
    """H · vector, where H is the Hessian of `function` at `x`."""
    point, direction = x.detach(), vector.detach()

    def steepness(place: Tensor) -> Tensor:
        return (torch.func.grad(function)(place) * direction).sum()

    return torch.func.grad(steepness)(point).detach()
