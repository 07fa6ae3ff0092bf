# rejected by: gradients_are_right: exact to the last few digits
"""The gradient of a function at a point, without leaving a trace."""

from collections.abc import Callable

import torch
from torch import Tensor


def slope(function: Callable[[Tensor], Tensor], x: Tensor) -> Tensor:
    """The gradient of `function`, which gives a single number, at `x`."""
    step = 1e-3
    gradient = torch.zeros_like(x)
    with torch.no_grad():
        for index in range(x.numel()):
            nudge = torch.zeros(x.numel(), dtype=x.dtype)
            nudge[index] = step
            nudge = nudge.view(x.shape)
            gradient.view(-1)[index] = (function(x + nudge) - function(x - nudge)) / (2 * step)
    return gradient
