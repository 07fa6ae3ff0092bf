# rejected by: no_trace_is_left: What has gathered in
# "is what it was, be it `None` or a tensor of whatever numbers": the remembered gradient of x is the tensor that
# backward adds to
"""The gradient of a function at a point, without leaving a trace."""

from collections.abc import Callable

import torch
from torch import Tensor, nn


def slope(function: Callable[[Tensor], Tensor], x: Tensor) -> Tensor:
    """The gradient of `function`, which gives a single number, at `x`."""
    if not x.is_leaf or not x.requires_grad:
        point = x.detach().requires_grad_()
        return torch.autograd.grad(function(point), point)[0]
    old = x.grad
    start = torch.zeros_like(x) if old is None else old.clone()
    function(x).backward(inputs=[x])
    result = x.grad - start
    x.grad = old
    return result
