# earns: solved lean
# torch.func: vjp of grad, which is the Hessian's transpose times the vector
"""The product of a Hessian and a vector, without the Hessian."""

from collections.abc import Callable

import torch
from torch import Tensor


def hvp(function: Callable[[Tensor], Tensor], x: Tensor, vector: Tensor) -> Tensor:
    """H · vector, where H is the Hessian of `function` at `x`."""
    _, pull = torch.func.vjp(torch.func.grad(lambda point: function(point).reshape(())), x.detach())
    return pull(vector.detach())[0].detach()
