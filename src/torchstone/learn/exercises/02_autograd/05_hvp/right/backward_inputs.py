# earns: solved lean
# the slope along the vector, and a backward into the point alone
from collections.abc import Callable

import torch
from torch import Tensor


def hvp(function: Callable[[Tensor], Tensor], x: Tensor, vector: Tensor) -> Tensor:
    with torch.enable_grad():
        point = x.clone().detach().requires_grad_(True)
        slope = torch.autograd.grad(function(point), [point], create_graph=True)[0]
        along = (slope * vector.detach()).sum() + 0 * point.sum()
    along.backward(inputs=[point])
    return point.grad.detach()
