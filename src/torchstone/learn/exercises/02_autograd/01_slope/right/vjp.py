# earns: solved
# torch.func.vjp at a detached point
"""The gradient of a function at a point, without leaving a trace."""

from collections.abc import Callable

import torch
from torch import Tensor


def slope(function: Callable[[Tensor], Tensor], x: Tensor) -> Tensor:
    """The gradient of `function`, which gives a single number, at `x`."""
    value, pull_back = torch.func.vjp(function, x.detach())
    (gradient,) = pull_back(torch.ones_like(value))
    return gradient.detach()
