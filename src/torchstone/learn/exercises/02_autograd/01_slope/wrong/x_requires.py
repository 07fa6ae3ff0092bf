# rejected by: gradients_are_right: requires_grad is the caller
# an x that required no gradient does so afterwards; '`x` requires a gradient if it did before, and doesn\'t if it
# didn\'t'
"""The gradient of a function at a point, without leaving a trace."""

from collections.abc import Callable

import torch
from torch import Tensor


def slope(function: Callable[[Tensor], Tensor], x: Tensor) -> Tensor:
    """The gradient of `function`, which gives a single number, at `x`."""
    x.requires_grad_()
    with torch.enable_grad():
        (result,) = torch.autograd.grad(function(x), x, allow_unused=True, materialize_grads=True)
    return result
