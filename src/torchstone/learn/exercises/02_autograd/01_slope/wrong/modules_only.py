# rejected by: weights_of_plain_functions_stay: backward() adds to .grad; torch.autograd.grad returns the
# looks after the weights of a module, not after those that a plain function uses; 'the `.grad` of `x`, and of the
# weights inside `function`, is what it was'
"""The gradient of a function at a point, without leaving a trace."""

from collections.abc import Callable

import torch
from torch import Tensor, nn


def slope(function: Callable[[Tensor], Tensor], x: Tensor) -> Tensor:
    """The gradient of `function`, which gives a single number, at `x`."""
    weights = list(function.parameters()) if isinstance(function, nn.Module) else []
    kept = [weight.grad for weight in weights]
    for weight in weights:
        weight.grad = None
    point = x.detach().requires_grad_()
    function(point).backward()
    for weight, grad in zip(weights, kept, strict=True):
        weight.grad = grad
    return point.grad
