# rejected by: memory_stays_small: Somewhere n × n numbers live
# "never anything of n × n numbers": an n × n identity is pushed through a batched backward pass
from collections.abc import Callable

import torch
from torch import Tensor


def hvp(function: Callable[[Tensor], Tensor], x: Tensor, vector: Tensor) -> Tensor:
    """H · vector, where H is the Hessian of `function` at `x`."""

    point = x.detach().clone().requires_grad_()
    (slope,) = torch.autograd.grad(function(point), point, create_graph=True)
    if not slope.requires_grad:
        return torch.zeros_like(x)
    n = x.numel()
    basis = torch.eye(n, dtype=x.dtype, device=x.device).reshape(n, *x.shape)
    (rows,) = torch.autograd.grad(slope, point, basis, is_grads_batched=True, allow_unused=True)
    if rows is None:
        return torch.zeros_like(x)
    return (rows.reshape(n, n) @ vector.reshape(n)).reshape(x.shape)
