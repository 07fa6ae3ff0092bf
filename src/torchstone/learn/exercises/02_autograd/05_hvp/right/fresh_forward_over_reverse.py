# earns: solved lean
# forward over reverse with torch.func
"""The product of a Hessian and a vector, without the Hessian."""

from collections.abc import Callable

import torch
from torch import Tensor


def hvp(function: Callable[[Tensor], Tensor], x: Tensor, vector: Tensor) -> Tensor:
    """H · vector, where H is the Hessian of `function` at `x`."""
    slope = torch.func.grad(lambda point: function(point).sum())
    _, product = torch.func.jvp(slope, (x.detach(),), (vector.detach(),))
    return product.detach()
