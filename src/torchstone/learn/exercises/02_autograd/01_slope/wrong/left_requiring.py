# rejected by: gradients_are_right: requires_grad is the caller's flag
# "`x` requires a gradient if it did before, and doesn't if it didn't": x requires a gradient ever after
"""The gradient of a function at a point, without leaving a trace."""

from collections.abc import Callable

import torch
from torch import Tensor, nn


def slope(function: Callable[[Tensor], Tensor], x: Tensor) -> Tensor:
    """The gradient of `function`, which gives a single number, at `x`."""
    x.requires_grad_()
    return torch.autograd.grad(function(x), x)[0]
