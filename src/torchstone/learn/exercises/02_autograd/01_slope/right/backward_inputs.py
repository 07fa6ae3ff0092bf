# earns: solved
# backward(), told to stop at a private copy
from collections.abc import Callable

import torch
from torch import Tensor


def slope(function: Callable[[Tensor], Tensor], x: Tensor) -> Tensor:
    """The gradient of `function`, which gives a single number, at `x`."""

    point = torch.empty_like(x, requires_grad=False)
    point.copy_(x.detach())
    point.requires_grad_(True)
    with torch.enable_grad():
        value = function(point)
        torch.autograd.backward([value], [torch.ones_like(value)], inputs=[point])
    return torch.zeros_like(x) if point.grad is None else point.grad.clone()
