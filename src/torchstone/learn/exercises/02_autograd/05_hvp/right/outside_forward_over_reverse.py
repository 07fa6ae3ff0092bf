# earns: solved lean
"""The product of a Hessian and a vector, without the Hessian."""

from collections.abc import Callable

import torch
from torch import Tensor
from torch.func import grad, jvp


def hvp(function: Callable[[Tensor], Tensor], x: Tensor, vector: Tensor) -> Tensor:
    slope = grad(lambda point: function(point).reshape(()))
    return jvp(slope, (x.detach(),), (vector.detach(),))[1].detach()
