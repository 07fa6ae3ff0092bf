# rejected by: straight_functions_give_zeros: A straight function's slope does not depend on
# a function that is straight in x is an error where its weights require gradients
from collections.abc import Callable

import torch
from torch import Tensor


def hvp(function: Callable[[Tensor], Tensor], x: Tensor, vector: Tensor) -> Tensor:
    point = x.detach().clone().requires_grad_()
    (slope,) = torch.autograd.grad(function(point), point, create_graph=True)
    if not slope.requires_grad:
        return torch.zeros_like(x)
    (result,) = torch.autograd.grad(slope, point, grad_outputs=vector)
    return result
