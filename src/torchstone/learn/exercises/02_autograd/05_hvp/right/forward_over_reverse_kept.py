# earns: solved lean
# jvp of the gradient, with torch.func
from collections.abc import Callable

import torch
from torch import Tensor
from torch.func import grad, jvp


def hvp(function: Callable[[Tensor], Tensor], x: Tensor, vector: Tensor) -> Tensor:
    _, result = jvp(grad(function), (x.detach(),), (vector.detach(),))
    return result.detach()
