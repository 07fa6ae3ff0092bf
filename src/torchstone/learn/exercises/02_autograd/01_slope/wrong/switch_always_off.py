# rejected by: no_trace_is_left: requires_grad is the caller's flag
# "x requires a gradient if it did before": it is switched off at the end whatever it was
from collections.abc import Callable

import torch
from torch import Tensor


def slope(function: Callable[[Tensor], Tensor], x: Tensor) -> Tensor:
    """The gradient of `function`, which gives a single number, at `x`."""

    x.requires_grad_()
    (result,) = torch.autograd.grad(function(x), x)
    if x.is_leaf:
        x.requires_grad_(False)
    return result
