# rejected by: no_trace_is_left: What has gathered in .grad is the caller's
# the old x.grad is kept by reference and put back, but backward has added into that very tensor; 'the .grad of x
# ... is what it was, be it None or a tensor' (a leaf x with a .grad)
"""The gradient of a function at a point, without leaving a trace."""

from collections.abc import Callable

import torch
from torch import Tensor


def slope(function: Callable[[Tensor], Tensor], x: Tensor) -> Tensor:
    """The gradient of `function`, which gives a single number, at `x`."""
    if not x.requires_grad or not x.is_leaf:
        point = x.detach().requires_grad_()
        return torch.autograd.grad(function(point), point)[0]
    before = x.grad
    start = torch.zeros_like(x) if before is None else before.clone()
    function(x).backward(inputs=[x])
    result = x.grad - start
    x.grad = before
    return result
