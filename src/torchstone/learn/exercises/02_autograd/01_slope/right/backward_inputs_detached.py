# earns: solved
# backward with inputs=[a detached alias]
"""The gradient of a function at a point, without leaving a trace."""

from collections.abc import Callable

import torch
from torch import Tensor


def slope(function: Callable[[Tensor], Tensor], x: Tensor) -> Tensor:
    """The gradient of `function`, which gives a single number, at `x`."""
    point = x.detach().requires_grad_()
    with torch.enable_grad():
        height = function(point)
    if height.requires_grad:
        height.backward(inputs=[point])
    return torch.zeros_like(point) if point.grad is None else point.grad
