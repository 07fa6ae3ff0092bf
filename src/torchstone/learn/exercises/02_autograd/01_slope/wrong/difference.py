# rejected by: old_grads_do_not_matter: The slope has nothing to do with what
# the slope is the difference of .grad after and before, which is NaN or 0 where .grad was NaN or huge
from collections.abc import Callable

import torch
from torch import Tensor


def slope(function: Callable[[Tensor], Tensor], x: Tensor) -> Tensor:
    required = x.requires_grad
    if not required:
        x.requires_grad_()
    if not x.is_leaf:
        return torch.autograd.grad(function(x), x)[0]
    before = None if x.grad is None else x.grad.clone()
    function(x).backward(inputs=[x])
    result = x.grad.clone() if before is None else x.grad - before
    if before is None:
        x.grad = None
    else:
        x.grad.copy_(before)
    x.requires_grad_(required)
    return result
