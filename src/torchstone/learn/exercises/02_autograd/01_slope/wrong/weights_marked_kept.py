# rejected by: gradients_are_right: What has gathered in .grad is the caller's,
# backward adds to the .grad of the weights inside the function
from collections.abc import Callable

import torch
from torch import Tensor


def slope(function: Callable[[Tensor], Tensor], x: Tensor) -> Tensor:
    point = x.detach().clone().requires_grad_()
    function(point).backward()
    return point.grad
