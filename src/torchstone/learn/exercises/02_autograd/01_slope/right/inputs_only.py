# earns: solved
# backward(inputs=…) writes into a copy of x and nowhere else
"""The gradient of a function at a point, without leaving a trace."""

from collections.abc import Callable

import torch
from torch import Tensor


def slope(function: Callable[[Tensor], Tensor], x: Tensor) -> Tensor:
    """The gradient of `function`, which gives a single number, at `x`."""
    copy = x.clone().detach()
    copy.requires_grad = True
    function(copy).backward(inputs=[copy])
    return copy.grad
