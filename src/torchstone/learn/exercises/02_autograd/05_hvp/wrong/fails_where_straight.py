# rejected by: straight_functions_give_zeros: A straight function's slope does not depend on x
# "Where the function is straight in x ... zeros, not an error": the second grad has nothing to differentiate
from collections.abc import Callable

import torch
from torch import Tensor


def hvp(function: Callable[[Tensor], Tensor], x: Tensor, vector: Tensor) -> Tensor:
    """H · vector, where H is the Hessian of `function` at `x`."""

    point = x.detach().clone().requires_grad_()
    (slope,) = torch.autograd.grad(function(point), point, create_graph=True)
    return torch.autograd.grad(slope, point, grad_outputs=vector)[0]
