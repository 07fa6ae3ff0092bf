# earns: solved
# torch.autograd.grad instead of backward
"""Fit a line to points by gradient descent."""

import torch
from torch import Tensor


def fit_line(x: Tensor, y: Tensor, steps: int, rate: float) -> tuple[float, float]:
    """Slope and intercept after `steps` steps."""
    slope = torch.zeros((), dtype=x.dtype, device=x.device, requires_grad=True)
    intercept = torch.zeros((), dtype=x.dtype, device=x.device, requires_grad=True)
    for _ in range(steps):
        loss = ((slope * x + intercept - y) ** 2).mean()
        down, up = torch.autograd.grad(loss, (slope, intercept))
        slope = (slope - rate * down).detach().requires_grad_()
        intercept = (intercept - rate * up).detach().requires_grad_()
    return slope.item(), intercept.item()
