# earns: solved lean
# two calls of autograd.grad, the second of a dot product, for every straight case a zero
from collections.abc import Callable

import torch
from torch import Tensor


def hvp(function: Callable[[Tensor], Tensor], x: Tensor, vector: Tensor) -> Tensor:
    """H · vector, where H is the Hessian of `function` at `x`."""

    with torch.enable_grad():
        point = x.detach().clone().requires_grad_(True)
        value = function(point)
        if not value.requires_grad:
            return torch.zeros_like(point, requires_grad=False)
        slope = torch.autograd.grad([value], [point], create_graph=True, allow_unused=True)[0]
        if slope is None or slope.grad_fn is None:
            return torch.zeros_like(point, requires_grad=False)
        along = torch.sum(slope * vector.detach())
        result = torch.autograd.grad([along], [point], allow_unused=True)[0]
    return torch.zeros_like(point, requires_grad=False) if result is None else result.detach()
