# earns: solved lean
# autograd twice, materialize_grads for what is straight
"""The product of a Hessian and a vector, without the Hessian."""

from collections.abc import Callable

import torch
from torch import Tensor


def hvp(function: Callable[[Tensor], Tensor], x: Tensor, vector: Tensor) -> Tensor:
    """H · vector, where H is the Hessian of `function` at `x`."""
    with torch.enable_grad():
        place = x.detach().clone().requires_grad_(True)
        value = function(place)
        first = torch.autograd.grad(value, place, create_graph=True)[0]
        if not first.requires_grad:
            return torch.zeros_like(x)
        second = torch.autograd.grad([first], [place], [vector.detach()], materialize_grads=True)
    return second[0].detach()
