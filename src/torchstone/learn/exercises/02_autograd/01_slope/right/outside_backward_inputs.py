# earns: solved
"""The gradient of a function at a point, without leaving a trace."""

from collections.abc import Callable

import torch
from torch import Tensor


def slope(function: Callable[[Tensor], Tensor], x: Tensor) -> Tensor:
    leaf = torch.empty_like(x, requires_grad=False).copy_(x.detach())
    leaf.requires_grad = True
    with torch.enable_grad():
        value = function(leaf)
    value.backward(inputs=[leaf])
    return leaf.grad
