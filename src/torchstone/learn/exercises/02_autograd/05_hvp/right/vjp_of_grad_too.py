# earns: solved lean
# torch.func: a vector times the Jacobian of the gradient
"""The product of a Hessian and a vector, without the Hessian."""

from collections.abc import Callable

import torch
from torch import Tensor


def hvp(function: Callable[[Tensor], Tensor], x: Tensor, vector: Tensor) -> Tensor:
    """H · vector, where H is the Hessian of `function` at `x`."""
    _, pull_back = torch.func.vjp(torch.func.grad(function), x.detach())
    (product,) = pull_back(vector.detach())
    return product.detach()
