# rejected by: no_trace_is_left: What has gathered in .grad is the caller's
# "the .grad of x ... is what it was, be it None or a tensor": backward adds in place to the very tensor that was put
# aside
from collections.abc import Callable

import torch
from torch import Tensor


def slope(function: Callable[[Tensor], Tensor], x: Tensor) -> Tensor:
    """The gradient of `function`, which gives a single number, at `x`."""

    wanted = x.requires_grad
    before = x.grad if x.is_leaf else None
    point = x if x.is_leaf else x.detach()
    point.requires_grad_()
    start = torch.zeros_like(x) if before is None else before.clone()
    torch.autograd.backward(function(point), inputs=[point])
    result = point.grad - start
    if point is x:
        x.grad = before
        x.requires_grad_(wanted)
    return result
