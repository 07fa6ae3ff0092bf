# rejected by: memory_stays_small: n numbers live: the vector has to come
# makes the whole Hessian of n x n numbers
from collections.abc import Callable

import torch
from torch import Tensor


def hvp(function: Callable[[Tensor], Tensor], x: Tensor, vector: Tensor) -> Tensor:
    hessian = torch.func.hessian(function)(x.detach())
    return torch.tensordot(hessian, vector, dims=x.dim())
