# rejected by: products_are_right: grad is the caller's flag: detach() gives a
# x requires a gradient afterwards
from collections.abc import Callable

import torch
from torch import Tensor


def hvp(function: Callable[[Tensor], Tensor], x: Tensor, vector: Tensor) -> Tensor:
    point = x.requires_grad_()
    (slope,) = torch.autograd.grad(function(point), point, create_graph=True)
    if not slope.requires_grad:
        return torch.zeros_like(x)
    (result,) = torch.autograd.grad(slope, point, grad_outputs=vector, allow_unused=True)
    return torch.zeros_like(x) if result is None else result
