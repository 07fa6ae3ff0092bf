# rejected by: products_are_right: The gradient of slope.sum() adds up each row
# the sums of the rows of H times the vector, right for a diagonal H only
from collections.abc import Callable

import torch
from torch import Tensor


def hvp(function: Callable[[Tensor], Tensor], x: Tensor, vector: Tensor) -> Tensor:
    point = x.detach().clone().requires_grad_()
    (slope,) = torch.autograd.grad(function(point), point, create_graph=True)
    if not slope.requires_grad:
        return torch.zeros_like(x)
    (result,) = torch.autograd.grad(slope.sum(), point, allow_unused=True)
    return torch.zeros_like(x) if result is None else result * vector
