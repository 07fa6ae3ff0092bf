# rejected by: no_trace_is_left: RuntimeError
# "x may be a leaf or the result of a computation": for a result the switch cannot be put back, and it fails
from collections.abc import Callable

import torch
from torch import Tensor


def slope(function: Callable[[Tensor], Tensor], x: Tensor) -> Tensor:
    """The gradient of `function`, which gives a single number, at `x`."""

    before = x.requires_grad
    x.requires_grad_(True)
    try:
        (result,) = torch.autograd.grad(function(x), x)
    finally:
        x.requires_grad_(False)
        x.requires_grad_(before)
    return result
