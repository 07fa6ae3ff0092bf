# rejected by: no_trace_is_left: RuntimeError: you can only change requires_grad flags of leaf
# sets the flag of x back in a way that raises for a computed x; '`x` may be a leaf or the result of a computation'
"""The gradient of a function at a point, without leaving a trace."""

from collections.abc import Callable

import torch
from torch import Tensor, nn


def slope(function: Callable[[Tensor], Tensor], x: Tensor) -> Tensor:
    """The gradient of `function`, which gives a single number, at `x`."""
    before = x.requires_grad
    x.requires_grad_()
    result = torch.autograd.grad(function(x), x)[0]
    x.requires_grad_(False)
    if before:
        x.requires_grad_()
    return result
