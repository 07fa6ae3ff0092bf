# rejected by: gradients_are_right: requires_grad is the caller's flag
# "x requires a gradient if it did before, and doesn't if it didn't": requires_grad_() on x is never taken back
from collections.abc import Callable

import torch
from torch import Tensor


def slope(function: Callable[[Tensor], Tensor], x: Tensor) -> Tensor:
    """The gradient of `function`, which gives a single number, at `x`."""

    if x.is_leaf:
        x.requires_grad_(True)
    return torch.autograd.grad(function(x), x)[0]
