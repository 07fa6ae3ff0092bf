# earns: solved lean
# reverse mode over a forward-mode directional derivative
from collections.abc import Callable

import torch
from torch import Tensor


def hvp(function: Callable[[Tensor], Tensor], x: Tensor, vector: Tensor) -> Tensor:
    """H · vector, where H is the Hessian of `function` at `x`."""

    direction = vector.detach()

    def along(point: Tensor) -> Tensor:
        return torch.func.jvp(lambda place: function(place).reshape(()), (point,), (direction,))[1]

    (result,) = torch.func.vjp(along, x.detach())[1](torch.ones((), dtype=x.dtype, device=x.device))
    return result.detach()
