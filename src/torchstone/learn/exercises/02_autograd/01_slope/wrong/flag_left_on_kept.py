# rejected by: gradients_are_right: grad is the caller's flag: detach() gives a
# x requires a gradient afterwards, though it did not before
from collections.abc import Callable

import torch
from torch import Tensor


def slope(function: Callable[[Tensor], Tensor], x: Tensor) -> Tensor:
    point = x.requires_grad_()
    (result,) = torch.autograd.grad(function(point), point)
    return result
