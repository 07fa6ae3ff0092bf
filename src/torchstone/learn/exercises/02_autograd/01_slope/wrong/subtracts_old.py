# rejected by: no_trace_is_left: What has gathered in .grad is the caller's, not yours to
# takes the difference to the old .grad, which is nonsense if that is huge or inf; 'be it `None` or a tensor of
# whatever numbers'
"""The gradient of a function at a point, without leaving a trace."""

from collections.abc import Callable

import torch
from torch import Tensor


def slope(function: Callable[[Tensor], Tensor], x: Tensor) -> Tensor:
    """The gradient of `function`, which gives a single number, at `x`."""
    needed = x.requires_grad
    x.requires_grad_()
    if not x.is_leaf:
        x = x.detach().requires_grad_()
    before = None if x.grad is None else x.grad.clone()
    function(x).backward(inputs=[x])
    gradient = x.grad.clone() if before is None else x.grad - before
    x.grad = before
    if x.is_leaf:
        x.requires_grad_(needed)
    return gradient
