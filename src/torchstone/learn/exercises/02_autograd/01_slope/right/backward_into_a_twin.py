# earns: solved
# backward into a twin of x alone, by `inputs`
from collections.abc import Callable

import torch
from torch import Tensor


def slope(function: Callable[[Tensor], Tensor], x: Tensor) -> Tensor:
    twin = torch.empty_like(x, requires_grad=False).copy_(x.detach())
    twin.requires_grad = True
    torch.autograd.backward([function(twin)], inputs=[twin])
    return twin.grad
