# rejected by: no_trace_is_left: What has gathered in .grad is the caller's
# "x may be a leaf or the result of a computation" and its .grad is what it was: retain_grad leaves a .grad on a
# result
from collections.abc import Callable

import torch
from torch import Tensor


def slope(function: Callable[[Tensor], Tensor], x: Tensor) -> Tensor:
    """The gradient of `function`, which gives a single number, at `x`."""

    if x.is_leaf:
        point = x.detach().clone().requires_grad_()
        return torch.autograd.grad(function(point), point)[0]
    x.retain_grad()
    function(x).backward(inputs=[x])
    return x.grad
