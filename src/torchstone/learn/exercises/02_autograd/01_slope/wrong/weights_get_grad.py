# rejected by: gradients_are_right: What has gathered in .grad is the caller's
# "the .grad of ... the weights inside function, is what it was": backward() on a detached copy spares x, and still
# adds to every weight
from collections.abc import Callable

import torch
from torch import Tensor


def slope(function: Callable[[Tensor], Tensor], x: Tensor) -> Tensor:
    """The gradient of `function`, which gives a single number, at `x`."""

    point = x.detach().clone().requires_grad_()
    function(point).backward()
    return point.grad
