# rejected by: gradients_are_right: What has gathered in .grad is the caller's
# "the .grad of ... the weights inside function, is what it was, be it None or a tensor": what backward added is wiped
# with set-to-None, and what stood there before too
from collections.abc import Callable

import torch
from torch import Tensor


def slope(function: Callable[[Tensor], Tensor], x: Tensor) -> Tensor:
    """The gradient of `function`, which gives a single number, at `x`."""

    point = x.detach().clone().requires_grad_()
    function(point).backward()
    owners = [function, getattr(function, "__self__", None)]
    owners += [cell.cell_contents for cell in (getattr(function, "__closure__", None) or ())]
    for owner in owners:
        if isinstance(owner, torch.nn.Module):
            owner.zero_grad()
        elif isinstance(owner, Tensor) and owner.is_leaf:
            owner.grad = None
    return point.grad
