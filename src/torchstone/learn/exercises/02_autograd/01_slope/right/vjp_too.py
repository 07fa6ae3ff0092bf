# earns: solved
# autograd.functional.vjp, which works on a copy of its own
"""The gradient of a function at a point, without leaving a trace."""

from collections.abc import Callable

import torch
from torch import Tensor, nn


def slope(function: Callable[[Tensor], Tensor], x: Tensor) -> Tensor:
    """The gradient of `function`, which gives a single number, at `x`."""
    with torch.enable_grad():
        _, result = torch.autograd.functional.vjp(lambda point: function(point).reshape(()), x.detach())
    return result
