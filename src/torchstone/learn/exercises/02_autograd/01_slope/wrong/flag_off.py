# rejected by: no_trace_is_left: requires_grad is the caller's flag
# x never requires a gradient afterwards, and an x that is the result of a computation raises; '`x` requires a
# gradient if it did before' (a leaf with requires_grad=True)
"""The gradient of a function at a point, without leaving a trace."""

from collections.abc import Callable

import torch
from torch import Tensor


def slope(function: Callable[[Tensor], Tensor], x: Tensor) -> Tensor:
    """The gradient of `function`, which gives a single number, at `x`."""
    x.requires_grad_(True)
    (result,) = torch.autograd.grad(function(x), x)
    x.requires_grad_(False)
    return result
