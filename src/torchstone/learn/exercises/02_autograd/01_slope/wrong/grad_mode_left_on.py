# rejected by: no_trace_is_left: The caller's settings are not the function's
# "no trace of having computed them": grad mode is switched on for the whole thread and stays on
from collections.abc import Callable

import torch
from torch import Tensor


def slope(function: Callable[[Tensor], Tensor], x: Tensor) -> Tensor:
    """The gradient of `function`, which gives a single number, at `x`."""

    torch.set_grad_enabled(True)
    point = x.detach().clone().requires_grad_()
    return torch.autograd.grad(function(point), point)[0]
