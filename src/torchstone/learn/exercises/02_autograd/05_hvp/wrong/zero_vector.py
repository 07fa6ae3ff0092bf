# rejected by: any_vector_will_do: The vector comes in as it is: a vector of zeros gives zeros,
# divides by the vector's length, which may be 0; 'returns H · vector'
"""The product of a Hessian and a vector, without the Hessian."""

from collections.abc import Callable

import torch
from torch import Tensor


def hvp(function: Callable[[Tensor], Tensor], x: Tensor, vector: Tensor) -> Tensor:
    """H · vector, where H is the Hessian of `function` at `x`."""
    point = x.detach().requires_grad_()
    # create_graph: the gradient is itself a function of the point, to be differentiated once more.
    (slope,) = torch.autograd.grad(function(point), point, create_graph=True)
    if not slope.requires_grad:  # straight everywhere: the slope is a constant
        return torch.zeros_like(x)
    # Backward through the slope with `vector` as what comes in gives vectorᵀ · H, and H is symmetric.
    length = vector.norm()
    (product,) = torch.autograd.grad(slope, point, vector / length, materialize_grads=True)
    product = product * length
    return product
