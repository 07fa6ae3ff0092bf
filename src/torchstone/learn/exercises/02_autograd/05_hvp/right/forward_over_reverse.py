# earns: solved lean
# torch.func.jvp of torch.func.grad
from collections.abc import Callable

import torch
from torch import Tensor


def hvp(function: Callable[[Tensor], Tensor], x: Tensor, vector: Tensor) -> Tensor:
    """H · vector, where H is the Hessian of `function` at `x`."""

    slope = torch.func.grad(lambda point: function(point).reshape(()))
    return torch.func.jvp(slope, (x.detach(),), (vector.detach(),))[1].detach()
