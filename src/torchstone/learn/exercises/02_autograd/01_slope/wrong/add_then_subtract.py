# rejected by: old_grads_do_not_matter: The slope has nothing to do with what stands in .grad: never
# adds to an old .grad and subtracts that again, which rounds (and gives NaN after an infinite one); 'returns the
# gradient of `function` at `x`'
"""The gradient of a function at a point, without leaving a trace."""

from collections.abc import Callable

import torch
from torch import Tensor, nn


def slope(function: Callable[[Tensor], Tensor], x: Tensor) -> Tensor:
    """The gradient of `function`, which gives a single number, at `x`."""
    if not x.is_leaf:
        point = x.detach().requires_grad_()
        return torch.autograd.grad(function(point), point)[0]
    before, required = x.grad, x.requires_grad
    old = torch.zeros_like(x) if before is None else before.clone()
    x.requires_grad_()
    function(x).backward(inputs=[x])
    result = x.grad - old
    if before is None:
        x.grad = None
    else:
        before.copy_(old)
        x.grad = before
    x.requires_grad_(required)
    return result
