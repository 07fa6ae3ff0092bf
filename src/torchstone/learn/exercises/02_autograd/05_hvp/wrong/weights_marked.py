# rejected by: products_are_right: What has gathered in .grad is the caller's,
# the second backward adds to the .grad of the weights inside the function
from collections.abc import Callable

import torch
from torch import Tensor


def hvp(function: Callable[[Tensor], Tensor], x: Tensor, vector: Tensor) -> Tensor:
    point = x.detach().clone().requires_grad_()
    (slope,) = torch.autograd.grad(function(point), point, create_graph=True)
    if not slope.requires_grad:
        return torch.zeros_like(x)
    slope.backward(vector)
    return torch.zeros_like(x) if point.grad is None else point.grad
