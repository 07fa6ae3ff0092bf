# rejected by: no_trace_is_left: grad is the caller's flag: detach() gives a
# x does not require a gradient any more, though it did (and a computed x is an error)
from collections.abc import Callable

import torch
from torch import Tensor


def slope(function: Callable[[Tensor], Tensor], x: Tensor) -> Tensor:
    point = x.requires_grad_()
    (result,) = torch.autograd.grad(function(point), point)
    x.requires_grad_(False)
    return result
