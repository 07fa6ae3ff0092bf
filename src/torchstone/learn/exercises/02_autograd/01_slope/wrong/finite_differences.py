# rejected by: gradients_are_right: Element i of the result is d function(x) / d x[i], exact to the last
# "right gradients": central differences with a fixed step are off by far more than rounding in float32
from collections.abc import Callable

import torch
from torch import Tensor


def slope(function: Callable[[Tensor], Tensor], x: Tensor) -> Tensor:
    """The gradient of `function`, which gives a single number, at `x`."""

    result = torch.zeros_like(x)
    with torch.no_grad():
        base = x.detach().clone()
        for i in range(base.numel()):
            up, down = base.clone(), base.clone()
            up.view(-1)[i] += 1e-3
            down.view(-1)[i] -= 1e-3
            result.view(-1)[i] = (function(up) - function(down)) / 2e-3
    return result
