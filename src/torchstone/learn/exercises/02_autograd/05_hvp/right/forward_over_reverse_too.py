# earns: solved lean
# torch.func: a forward derivative of the gradient
"""The product of a Hessian and a vector, without the Hessian."""

from collections.abc import Callable

import torch
from torch import Tensor


def hvp(function: Callable[[Tensor], Tensor], x: Tensor, vector: Tensor) -> Tensor:
    """H · vector, where H is the Hessian of `function` at `x`."""
    gradient = torch.func.grad(function)
    _, product = torch.func.jvp(gradient, (x.detach(),), (vector.detach(),))
    return product.detach()
