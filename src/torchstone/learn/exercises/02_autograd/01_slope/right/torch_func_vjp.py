# earns: solved
# torch.func.vjp with a cotangent of one
from collections.abc import Callable

import torch
from torch import Tensor


def slope(function: Callable[[Tensor], Tensor], x: Tensor) -> Tensor:
    """The gradient of `function`, which gives a single number, at `x`."""

    value, pull = torch.func.vjp(lambda point: function(point).reshape(()), x.detach())
    (result,) = pull(torch.ones_like(value))
    return result.detach()
