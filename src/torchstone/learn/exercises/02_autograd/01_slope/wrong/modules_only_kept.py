# rejected by: weights_of_plain_functions_stay: torch.autograd.grad returns the gradient and stores nothing
# the .grad of weights is put back where the function is a module, not where it is any other function
from collections.abc import Callable

import torch
from torch import Tensor, nn


def slope(function: Callable[[Tensor], Tensor], x: Tensor) -> Tensor:
    weights = list(function.parameters()) if isinstance(function, nn.Module) else []
    before = [weight.grad for weight in weights]
    for weight in weights:
        weight.grad = None
    point = x.detach().clone().requires_grad_()
    function(point).backward()
    for weight, grad in zip(weights, before, strict=True):
        weight.grad = grad
    return point.grad
