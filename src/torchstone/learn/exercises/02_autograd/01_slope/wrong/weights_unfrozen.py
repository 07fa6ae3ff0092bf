# rejected by: no_trace_is_left: requires_grad is the caller's flag
# "afterwards everything is as before": weights are frozen for the while and then all of them thawed, also those that
# were frozen before
from collections.abc import Callable

import torch
from torch import Tensor


def slope(function: Callable[[Tensor], Tensor], x: Tensor) -> Tensor:
    """The gradient of `function`, which gives a single number, at `x`."""

    weights = list(function.parameters()) if isinstance(function, torch.nn.Module) else []
    for weight in weights:
        weight.requires_grad_(False)
    point = x.detach().clone().requires_grad_()
    (result,) = torch.autograd.grad(function(point), point)
    for weight in weights:
        weight.requires_grad_(True)
    return result
