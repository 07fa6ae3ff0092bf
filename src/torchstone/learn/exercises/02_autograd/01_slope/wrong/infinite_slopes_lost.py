# rejected by: steep_slopes_are_right: Hand it on as it is.
# infinite slopes become large numbers; 'returns the gradient of `function` at `x`'
"""The gradient of a function at a point, without leaving a trace."""

from collections.abc import Callable

import torch
from torch import Tensor


def slope(function: Callable[[Tensor], Tensor], x: Tensor) -> Tensor:
    """The gradient of `function`, which gives a single number, at `x`."""
    # A leaf of our own on the same memory: the caller's tensor keeps its flag and its place in its graph.
    point = x.detach().requires_grad_()
    # grad() returns what it finds; backward() would add it to the .grad of every leaf, the weights included.
    (gradient,) = torch.autograd.grad(function(point), point)
    return gradient.nan_to_num()
