# rejected by: memory_stays_small: Somewhere n × n numbers live
# "never anything of n × n numbers": torch.func.hessian makes them all
from collections.abc import Callable

import torch
from torch import Tensor


def hvp(function: Callable[[Tensor], Tensor], x: Tensor, vector: Tensor) -> Tensor:
    """H · vector, where H is the Hessian of `function` at `x`."""

    full = torch.func.hessian(function)(x.detach())
    return torch.tensordot(full, vector, dims=x.dim())
