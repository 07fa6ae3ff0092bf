# earns: solved
# torch.func: the transposed derivative, applied to one
"""The gradient of a function at a point, without leaving a trace."""

from collections.abc import Callable

import torch
from torch import Tensor


def slope(function: Callable[[Tensor], Tensor], x: Tensor) -> Tensor:
    """The gradient of `function`, which gives a single number, at `x`."""
    value, pull_back = torch.func.vjp(function, x.detach())
    (result,) = pull_back(torch.ones_like(value))
    return result.detach()
