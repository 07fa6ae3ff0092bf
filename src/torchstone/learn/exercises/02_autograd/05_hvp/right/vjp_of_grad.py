# earns: solved lean
# torch.func.vjp of torch.func.grad: H is symmetric
"""The product of a Hessian and a vector, without the Hessian."""

from collections.abc import Callable

import torch
from torch import Tensor


def hvp(function: Callable[[Tensor], Tensor], x: Tensor, vector: Tensor) -> Tensor:
    """H · vector, where H is the Hessian of `function` at `x`."""

    def number(point: Tensor) -> Tensor:
        return function(point).sum()

    _, pull_back = torch.func.vjp(torch.func.grad(number), x.detach())
    (product,) = pull_back(vector.detach().to(x.dtype))
    return product.detach()
