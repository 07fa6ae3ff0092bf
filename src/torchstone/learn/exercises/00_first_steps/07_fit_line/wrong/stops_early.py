# rejected by: steps_are_right: Each step takes rate · gradient from the slope and from the
# stops when the loss hardly falls any more; 'exactly the slope and intercept of that many steps'
"""Fit a line to points by gradient descent."""

import torch
from torch import Tensor


def fit_line(x: Tensor, y: Tensor, steps: int, rate: float) -> tuple[float, float]:
    """Slope and intercept after `steps` steps."""
    slope = torch.zeros((), dtype=x.dtype, device=x.device, requires_grad=True)
    intercept = torch.zeros((), dtype=x.dtype, device=x.device, requires_grad=True)
    before = float("inf")
    for _ in range(steps):
        loss = ((slope * x + intercept - y) ** 2).mean()
        if before - loss.item() < 1e-2 * before and before != float("inf"):
            break
        before = loss.item()
        down, up = torch.autograd.grad(loss, (slope, intercept))
        slope = (slope - rate * down).detach().requires_grad_()
        intercept = (intercept - rate * up).detach().requires_grad_()
    return slope.item(), intercept.item()
